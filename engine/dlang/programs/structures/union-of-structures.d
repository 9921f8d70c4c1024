#pragma D option quiet

struct a { short x; short y; };
union u { struct a parts; int whole; };
union u v;

BEGIN
{
	v.parts.x = 1;
	v.parts.y = 2;
	printf("%x\n", v.whole);
	exit(0);
}
