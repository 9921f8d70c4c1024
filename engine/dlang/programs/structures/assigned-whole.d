#pragma D option quiet

struct pair { int a; int b; };
struct pair p;
struct pair other;

BEGIN
{
	p.a = 1;
	p.b = 2;
	other = p;
	p.a = 9;
	printf("%d %d %d\n", other.a, other.b, p.a);
}

BEGIN
{
	q = other;
	q.a += 40;
	printf("%d %d\n", q.a, other.a);
	exit(0);
}
