#pragma D option quiet

long long x;
int i, k;
unsigned u;

BEGIN
{
	i = 100000;
	u = 7;
	printf("%d %d\n", i * i / i, i * i / u);
	x = 1 << 40;
	printf("%d\n", x);
	x = i * i;
	k = i * i;
	printf("%d %d %d\n", x, k, (int)(i * i));
	x = 0x7fffffff + 1;
	k = 0x7fffffff + 1;
	printf("%d %d\n", x, k);
	@["sum"] = sum(i * i);
	a[i * i] = 1;
	printf("%d\n", a[1410065408]);
	printf("%d %d\n", sizeof (i * i), i * i > i);
	printf("%d %d\n", -1 < u, u - 8 > 0);
	printf("%d\n", (uint8_t)200 + (uint8_t)100);
	exit(0);
}
