#pragma D option quiet

struct point { int x; int y; };
struct point p[3];

BEGIN
{
	this->p = &p[1];
	this->p->x = 8;
	(this->p + 1)->y = 9;
	printf("%d %d %d\n", p[1].x, p[2].y, &p[2] - &p[0]);
	exit(0);
}
