#pragma D option quiet

BEGIN
{
	printf("%d %d\n", 1 << 3 > 7, 1 << (3 > 7));
	exit(0);
}
