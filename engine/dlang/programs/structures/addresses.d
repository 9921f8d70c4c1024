#pragma D option quiet

struct pair { int a; string text; struct pair *me; };
struct pair v;
self struct pair t;
this struct pair c;

BEGIN
{
	this->p = &v;
	this->p->a = 5;
	this->q = &v.a;
	*this->q += 2;
	v.me = &v;
	printf("%d %d %d\n", v.a, v.me->me->a, &v.me->a == &v.a);
	self->t = v;
	this->p = &self->t;
	this->p->a++;
	this->c = *this->p;
	this->c.text = "copied";
	printf("%d %d %d %s[%s]\n", v.a, self->t.a, this->c.a, this->c.text, v.text);
	exit(0);
}
