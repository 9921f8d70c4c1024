#pragma D option quiet

struct point { int x; int y; };
struct point p[3];

BEGIN
{
	p[0].x = 1;
	p[2].y = 7;
	printf("%d %d %d %d\n", p[0].x, p[1].x, p[2].y, sizeof (p));
	exit(0);
}
