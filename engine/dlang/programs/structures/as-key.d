#pragma D option quiet

struct pair { int a; int b; };
struct pair p;

BEGIN
{
	p.a = 1;
	n[p] = 10;
	p.a = 2;
	n[p] = 20;
	p.a = 1;
	printf("%d\n", n[p]);
	exit(0);
}
