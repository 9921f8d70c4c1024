#pragma D option quiet

int a, b, c[2];

BEGIN
{
	a = 1;
	b = 2;
	c[1] = 3;
	printf("%d\n", a + b + c[1]);
	exit(0);
}
