#pragma D option quiet

struct pair { int a; int b; };
struct pair p[int];

BEGIN
{
	p[1].a = 5;
	p[2].a = 6;
	p[1].b = p[2].a + p[1].a;
	printf("%d %d %d\n", p[1].a, p[1].b, p[3].a);
	exit(0);
}
