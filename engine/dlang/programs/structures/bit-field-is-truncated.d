#pragma D option quiet

struct f { unsigned int a : 3; };
struct f v;

BEGIN
{
	v.a = 13;
	printf("%d\n", v.a);
	exit(0);
}
