#pragma D option quiet

struct point { int x; int y; };
struct point p;
struct point q[int];

BEGIN
{
	p.x = 1;
	p.y = 2;
	q[7] = p;
	p.x = 5;
	printf("%d %d %d\n", q[7].x, q[7].y, q[8].x);
	exit(0);
}
