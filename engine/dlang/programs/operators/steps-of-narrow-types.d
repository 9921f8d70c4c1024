#pragma D option quiet

char c;
unsigned char u;

BEGIN
{
	c = 127;
	c++;
	printf("%d\n", c);
	u = 0;
	u--;
	printf("%d\n", u);
	exit(0);
}
