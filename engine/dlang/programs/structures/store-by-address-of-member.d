#pragma D option quiet

struct point { int x; int y; };
struct point p;

BEGIN
{
	this->y = &p.y;
	*this->y = 11;
	printf("%d %d\n", p.x, p.y);
	exit(0);
}
