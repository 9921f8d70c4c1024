#pragma D option quiet

struct point { int x; int y; };
struct point p[3];

BEGIN
{
	p[0].x = 1;
	p[1].x = 2;
	p[2].x = 3;
	this->p = &p[0];
	printf("%d ", this->p++->x);
	printf("%d ", this->p->x);
	printf("%d\n", (++this->p)->x);
	exit(0);
}
