#pragma D option quiet

struct point { int x; };
struct point *p;

BEGIN
{
	printf("%d %d\n", sizeof (p->x), sizeof (*p));
	exit(0);
}
