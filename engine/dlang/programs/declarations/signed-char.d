#pragma D option quiet

signed char c;
unsigned char u;

BEGIN
{
	c = 200;
	u = 200;
	printf("%d %d\n", c, u);
	exit(0);
}
