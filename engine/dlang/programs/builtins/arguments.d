#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", arg0, arg9, args[3]);
	exit(0);
}
