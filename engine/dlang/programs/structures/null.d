#pragma D option quiet

struct pair { int a; int b; };

BEGIN
{
	this->p = (struct pair *)NULL;
	trace(this->p->b);
}

ERROR
{
	printf("address %d\n", arg5);
	exit(0);
}
