#pragma D option quiet

BEGIN
{
	n = -1;
	printf("n + 1u = %u\n", n + 1u);
	printf("n + 1ll = %d\n", n + 1ll);
	printf("n / 2u = %u\n", n / 2u);
	printf("(n ? n : 1u) > 0 = %d\n", (n ? n : 1u) > 0);
	exit(0);
}
