#pragma D option quiet

int a, b;
string c;

BEGIN
{
	a = 1;
	b = 2;
	c = "three";
	printf("%d %d %s\n", a, b, c);
	exit(0);
}
