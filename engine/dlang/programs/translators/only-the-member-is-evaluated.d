#pragma D option quiet

int n;
typedef struct out { int a; int b; } out_t;
translator out_t < int i > {
	a = i;
	b = ++n;
};

BEGIN
{
	this->v = xlate <out_t *> (1)->a;
	printf("%d %d\n", this->v, n);
	exit(0);
}
