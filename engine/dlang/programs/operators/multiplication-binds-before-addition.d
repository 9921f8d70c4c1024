#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", 2 + 3 * 4, 10 - 6 / 2, 7 + 9 % 4);
	exit(0);
}
