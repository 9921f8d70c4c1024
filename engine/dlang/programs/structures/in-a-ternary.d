#pragma D option quiet

struct point { int x; };
struct point a;
struct point b;

BEGIN
{
	a.x = 1;
	b.x = 2;
	this->p = 1 ? &a : &b;
	printf("%d %d\n", this->p->x, (0 ? &a : &b)->x);
	exit(0);
}
