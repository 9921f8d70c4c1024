#pragma D option quiet

BEGIN
{
	printf("%d %d\n", 1 << 2 + 1, (1 << 2) + 1);
	exit(0);
}
