#pragma D option quiet

char a;
char b;
unsigned char u;

BEGIN
{
	a = 100;
	b = 100;
	u = 255;
	printf("a + b = %d\n", a + b);
	printf("u + 1 = %d\n", u + 1);
	printf("~u = %d\n", ~u);
	printf("-u = %d\n", -u);
	printf("a << 1 = %d\n", a << 1);
	exit(0);
}
