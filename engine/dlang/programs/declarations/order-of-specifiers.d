#pragma D option quiet

long unsigned int a;
int short b;
int long long c;

BEGIN
{
	b = 0x12345;
	c = 1ll << 40;
	printf("%x %x %d\n", b, c, sizeof (a) == sizeof (long));
	exit(0);
}
