#pragma D option quiet

struct a { int x; };
struct b { char pad; int x; };
struct a one;
struct b two;

BEGIN
{
	one.x = 1;
	two.x = 2;
	printf("%d %d %d %d\n", one.x, two.x, offsetof(struct a, x), offsetof(struct b, x));
	exit(0);
}
