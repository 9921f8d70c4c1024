#pragma D option quiet

BEGIN
{
	x = 12;
	y = 10;
	printf("x << 3 = %d\n", x << 3);
	printf("x >> 2 = %d\n", x >> 2);
	printf("-x >> 1 = %d\n", -x >> 1);
	printf("(unsigned int)-x >> 28 = %u\n", (unsigned int)-x >> 28);
	printf("1ull << 40 = %u\n", 1ull << 40);
	exit(0);
}
