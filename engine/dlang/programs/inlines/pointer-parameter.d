#pragma D option quiet

struct s { int a; };
inline int member[struct s *p] = p == NULL ? -1 : p->a;

BEGIN
{
	this->s = (struct s *)alloca(sizeof (struct s));
	this->s->a = 3;
	printf("%d %d\n", member[this->s], member[(struct s *)NULL]);
	exit(0);
}
