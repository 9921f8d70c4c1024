#pragma D option quiet

BEGIN
{
	p = (int *)alloca(4);
	n = (int *)NULL;
	printf("%d %d %d %d\n", !p, !n, p && 1, n ? 1 : 2);
	exit(0);
}
