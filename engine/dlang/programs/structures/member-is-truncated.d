#pragma D option quiet

struct narrow { char c; short s; unsigned char u; };
struct narrow n;

BEGIN
{
	n.c = 0x1ff;
	n.s = 0x18000;
	n.u = -1;
	printf("%d %d %d\n", n.c, n.s, n.u);
	exit(0);
}
