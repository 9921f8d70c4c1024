#pragma D option quiet

struct { int a; int b; } v;

BEGIN
{
	v.a = 1;
	v.b = v.a + 1;
	printf("%d %d\n", v.a, v.b);
	exit(0);
}
