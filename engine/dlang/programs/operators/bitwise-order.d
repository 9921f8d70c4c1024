#pragma D option quiet

BEGIN
{
	printf("%d %d\n", 1 | 2 ^ 3 & 1, ((1 | 2) ^ 3) & 1);
	exit(0);
}
