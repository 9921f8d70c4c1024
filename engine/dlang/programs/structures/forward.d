#pragma D option quiet

struct later;
struct holder { struct later *p; };
struct later { int n; };
struct holder h;

BEGIN
{
	this->l = (struct later *)alloca(sizeof (struct later));
	this->l->n = 12;
	h.p = this->l;
	printf("%d\n", h.p->n);
	exit(0);
}
