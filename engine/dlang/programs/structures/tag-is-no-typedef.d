#pragma D option quiet

struct thing { int a; };
thing t;

BEGIN
{
	t.a = 4;
	exit(0);
}
