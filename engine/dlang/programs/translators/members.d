#pragma D option quiet

struct in { int a; short b; };
typedef struct out { int sum; string name; int b : 4; } out_t;
struct in i;

translator out_t < struct in *p > {
	sum = p->a + p->b;
	name = strjoin("n", lltostr(p->a));
	b = p->b;
};

BEGIN
{
	this->i = (struct in *)alloca(sizeof (struct in));
	this->i->a = 40;
	this->i->b = 2;
	printf("%d %s %d\n", xlate <out_t *> (this->i)->sum, xlate <out_t> (this->i).name,
	    xlate <struct out *> (this->i)->b);
	exit(0);
}
