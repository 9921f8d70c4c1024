#pragma D option quiet

BEGIN
{
	printf("%d %d\n", -8 >> 1, -1 >> 10);
	exit(0);
}
