#pragma D option quiet

struct s { int a; };
self struct s v;

BEGIN
{
	self->v.a = 5;
	self->v.a++;
	printf("%d\n", self->v.a);
	exit(0);
}
