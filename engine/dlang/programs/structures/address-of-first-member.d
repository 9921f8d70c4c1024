#pragma D option quiet

struct point { int x; int y; };
struct point p;

BEGIN
{
	printf("%d %d\n", (uintptr_t)&p.x == (uintptr_t)&p, (uintptr_t)&p.y - (uintptr_t)&p.x);
	exit(0);
}
