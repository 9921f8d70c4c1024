#pragma D option quiet

struct f { int a : 3; };
struct f v;

BEGIN
{
	v.a = 5;
	printf("%d\n", v.a);
	exit(0);
}
