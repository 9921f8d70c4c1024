#pragma D option quiet

short a;
unsigned b;
unsigned long long int c;
signed char d;

BEGIN
{
	a = 70000;
	b = -1;
	c = -1;
	d = 511;
	printf("%d %u %u %d\n", a, b, c, d);
	exit(0);
}
