#pragma D option quiet

struct f { unsigned int a : 4; unsigned int b : 4; };
struct f v[int];

BEGIN
{
	v[1].a = 3;
	v[1].b = 7;
	printf("%d %d %d\n", v[1].a, v[1].b, v[2].a);
	exit(0);
}
