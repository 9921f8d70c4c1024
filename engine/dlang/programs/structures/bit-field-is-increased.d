#pragma D option quiet

struct f { unsigned int a : 2; };
struct f v;

BEGIN
{
	v.a++;
	v.a++;
	v.a++;
	printf("%d ", v.a);
	v.a++;
	printf("%d\n", v.a);
	exit(0);
}
