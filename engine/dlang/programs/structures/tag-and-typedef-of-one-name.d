#pragma D option quiet

typedef struct thing { int a; } thing;
thing t;
struct thing u;

BEGIN
{
	t.a = 4;
	u = t;
	printf("%d\n", u.a);
	exit(0);
}
