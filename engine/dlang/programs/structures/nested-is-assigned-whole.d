#pragma D option quiet

struct inner { int a; int b; };
struct outer { int n; struct inner in; };
struct inner i;
struct outer o;

BEGIN
{
	i.a = 1;
	i.b = 2;
	o.n = 9;
	o.in = i;
	printf("%d %d %d\n", o.n, o.in.a, o.in.b);
	exit(0);
}
