#pragma D option quiet

struct f { unsigned int a : 3; int b : 5; };
struct f v;

BEGIN
{
	v.a = 5;
	v.b = -4;
	print(v);
	exit(0);
}
