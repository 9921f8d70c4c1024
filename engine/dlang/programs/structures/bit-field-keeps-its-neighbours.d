#pragma D option quiet

struct f { unsigned int a : 4; unsigned int b : 4; unsigned int c : 4; };
struct f v;

BEGIN
{
	v.a = 15;
	v.c = 15;
	v.b = 5;
	v.b = 0;
	printf("%d %d %d\n", v.a, v.b, v.c);
	exit(0);
}
