#pragma D option quiet

struct point { int x; int y; };
struct point p[3];

BEGIN
{
	this->i = 2;
	p[this->i].x = 5;
	p[this->i - 1].x = 6;
	printf("%d %d %d\n", p[0].x, p[1].x, p[2].x);
	exit(0);
}
