#pragma D option quiet

struct line { struct point { int x; int y; } from; struct point to; };
struct line l;

BEGIN
{
	l.from.x = 1;
	l.to.x = 10;
	l.to.y = 20;
	l.from = l.to;
	l.to.x++;
	printf("%d %d %d %d\n", l.from.x, l.from.y, l.to.x, l.to.y);
	exit(0);
}
