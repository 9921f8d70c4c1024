#pragma D option quiet

struct point { int x; int y; };
struct point p;

BEGIN
{
	p.x = 3;
	p.y = p.x + 4;
	p.x++;
	p.y *= 2;
	printf("%d %d\n", p.x, p.y);
	exit(0);
}
