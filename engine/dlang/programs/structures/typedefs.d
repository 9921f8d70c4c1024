#pragma D option quiet

typedef struct pair { int a; int b; } pair_t;
typedef struct { int c; } other_t, *other_p;
pair_t p;
other_t o;

BEGIN
{
	p.b = 3;
	o.c = p.b + 1;
	this->q = (other_p)alloca(sizeof (other_t));
	this->q->c = 6;
	printf("%d %d %d %d\n", p.b, o.c, this->q->c, sizeof (pair_t));
	exit(0);
}
