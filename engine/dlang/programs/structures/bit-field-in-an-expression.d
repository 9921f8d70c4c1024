#pragma D option quiet

struct f { unsigned int a : 4; unsigned int b : 4; };
struct f v;

BEGIN
{
	v.a = 3;
	v.b = v.a * 4 + 1;
	printf("%d %d\n", v.a + v.b, v.a < v.b);
	exit(0);
}
