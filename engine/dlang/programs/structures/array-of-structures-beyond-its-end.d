#pragma D option quiet

struct point { int x; int y; };
struct point p[3];

BEGIN
{
	p[3].x = 1;
	exit(0);
}
