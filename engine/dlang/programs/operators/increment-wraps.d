#pragma D option quiet

char c;
unsigned char u;

BEGIN
{
	c = 127;
	c++;
	u = 255;
	u++;
	printf("%d %d\n", c, u);
	exit(0);
}
