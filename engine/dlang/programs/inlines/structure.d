#pragma D option quiet

struct pair { int a; int b; };
self struct pair p;
inline struct pair both = self->p;

BEGIN
{
	self->p.b = 6;
	printf("%d\n", both.b);
	exit(0);
}
