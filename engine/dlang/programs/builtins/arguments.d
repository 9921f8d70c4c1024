#pragma D option quiet

BEGIN
{
	printf("%d %d\n", arg0, arg9);
}

tick-1ms
{
	printf("%d\n", args[3]);
	exit(0);
}
