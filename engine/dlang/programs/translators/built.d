#pragma D option quiet

typedef struct out { int zero; int twice; string name; int b : 4; short last; } out_t;
out_t o;

translator out_t < int n > {
	twice = n * 2;
	name = lltostr(n);
	b = n;
	last = -n;
};

BEGIN
{
	o = xlate <out_t> (5);
	printf("%d %d %s %d %d\n", o.zero, o.twice, o.name, o.b, o.last);
	this->p = xlate <out_t *> (7);
	printf("%d %d %s %d %d\n", this->p->zero, this->p->twice, this->p->name, this->p->b,
	    this->p->last);
	exit(0);
}
