#pragma D option quiet

struct a { int n; };
struct b { int m; };

translator struct a < int n > { n = n + 1; };
translator struct b < int *p > { m = xlate <struct a> (*p).n * 2; };

BEGIN
{
	this->p = (int *)alloca(sizeof (int));
	*this->p = 20;
	printf("%d\n", xlate <struct b *> (this->p)->m);
	exit(0);
}
