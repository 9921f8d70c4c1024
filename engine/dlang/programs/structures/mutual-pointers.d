#pragma D option quiet

struct b;
struct a { struct b *to; int x; };
struct b { struct a *to; int x; };
struct a one;
struct b two;

BEGIN
{
	one.x = 1;
	two.x = 2;
	printf("%d %d %d\n", one.to == NULL, one.x, two.x);
	exit(0);
}
