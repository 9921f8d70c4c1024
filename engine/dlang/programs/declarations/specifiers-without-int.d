#pragma D option quiet

unsigned a;
short b;
long long c;

BEGIN
{
	a = -1;
	b = -1;
	c = -1;
	printf("%u %d %d\n", a, b, c);
	exit(0);
}
