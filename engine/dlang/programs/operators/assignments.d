#pragma D option quiet

BEGIN
{
	x = 7;
	printf("%d\n", x);
	x += 3;
	printf("%d\n", x);
	x -= 4;
	printf("%d\n", x);
	x *= 5;
	printf("%d\n", x);
	x /= 4;
	printf("%d\n", x);
	x %= 4;
	printf("%d\n", x);
	x <<= 6;
	printf("%d\n", x);
	x >>= 2;
	printf("%d\n", x);
	x |= 3;
	printf("%d\n", x);
	x &= 6;
	printf("%d\n", x);
	x ^= 5;
	printf("%d\n", x);
	exit(0);
}
