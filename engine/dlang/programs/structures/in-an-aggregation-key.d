#pragma D option quiet

struct point { int x; int y; };
struct point p;

BEGIN
{
	p.x = 4;
	@[p.x, p.y] = count();
	p.y = 1;
	@[p.x, p.y] = count();
	printa("%d %d %@d\n", @);
	exit(0);
}
