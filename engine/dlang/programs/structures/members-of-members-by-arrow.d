#pragma D option quiet

struct inner { short a; short b; };
struct outer { int n; struct inner in; struct inner *p; };

BEGIN
{
	this->o = (struct outer *)alloca(sizeof (struct outer));
	this->o->p = &this->o->in;
	this->o->p->b = -7;
	printf("%d %d\n", this->o->in.b, (*this->o).in.b);
	exit(0);
}
