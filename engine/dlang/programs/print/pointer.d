#pragma D option quiet

struct pair { int a; struct pair *next; };

BEGIN
{
	this->p = (struct pair *)alloca(sizeof (struct pair));
	this->p->a = 4;
	print(*this->p);
	print((struct pair *)NULL);
	printf("not reached\n");
}

ERROR
{
	printf("address %d\n", arg5);
	exit(0);
}
