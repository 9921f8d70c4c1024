#pragma D option quiet

struct pair { int a; int b; };
self struct pair p;

BEGIN
{
	printf("%d ", self->p.a);
	self->p.a = 5;
	self->p.b = self->p.a * 2;
	printf("%d %d\n", self->p.a, self->p.b);
	exit(0);
}
