#pragma D option quiet

BEGIN
{
	x = 0;
	trace(1 / x);
}

BEGIN
{
	exit(2);
}

ERROR
/arg4 == DTRACEFLT_DIVZERO && arg1 == 1/
{
	printf("%d %d %d %d\n", DTRACEFLT_UNKNOWN, DTRACEFLT_BADADDR, DTRACEFLT_BADALIGN, DTRACEFLT_ILLOP);
	printf("%d %d %d %d\n", DTRACEFLT_NOSCRATCH, DTRACEFLT_KPRIV, DTRACEFLT_UPRIV, DTRACEFLT_TUPOFLOW);
	printf("%d %d\n", DTRACEFLT_BADSTACK, DTRACEFLT_BADSIZE);
	exit(1);
}
