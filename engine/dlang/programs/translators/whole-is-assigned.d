#pragma D option quiet

typedef struct out { int a; int b; } out_t;
out_t o;
translator out_t < int i > {
	a = i;
	b = i + 1;
};

BEGIN
{
	o = xlate <out_t> (4);
	printf("%d %d\n", o.a, o.b);
	exit(0);
}
