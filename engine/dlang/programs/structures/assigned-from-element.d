#pragma D option quiet

struct point { int x; int y; };
struct point p;
struct point q[string];

BEGIN
{
	q["a"].x = 3;
	q["a"].y = 4;
	p = q["a"];
	q["a"].x = 9;
	printf("%d %d\n", p.x, p.y);
	exit(0);
}
