#pragma D option quiet

struct point { int x; int y; };
struct point p[3];

BEGIN
{
	printf("%d %d %d\n", &p[0] < &p[1], &p[1] == &p[0] + 1, &p[2] <= &p[1]);
	exit(0);
}
