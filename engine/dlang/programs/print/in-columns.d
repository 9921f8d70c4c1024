struct pair { int a; int b; };
struct pair p;

BEGIN
{
	print(p);
	print(p.a);
	exit(0);
}
