#pragma D option quiet

typedef struct point { int x; } point_t;
point_t p;

BEGIN
{
	p.x = 2;
	print(p);
	exit(0);
}
