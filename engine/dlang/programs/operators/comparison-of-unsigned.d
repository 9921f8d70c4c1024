#pragma D option quiet

uint64_t u;

BEGIN
{
	u = -1;
	printf("%d %d\n", u > 1, (int64_t)u < 1);
	exit(0);
}
