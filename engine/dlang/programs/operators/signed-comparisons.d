#pragma D option quiet

BEGIN
{
	n = -1;
	printf("n < 0 = %d\n", n < 0);
	printf("n < 1u = %d\n", n < 1u);
	printf("n > 1u = %d\n", n > 1u);
	printf("(long long)n < 1u = %d\n", (long long)n < 1u);
	exit(0);
}
