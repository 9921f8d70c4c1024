#pragma D option quiet

int *v;

BEGIN
{
	this->n = (int *)alloca(4);
	this->p = (int **)alloca(8);
	*this->n = 4;
	v = this->n;
	printf("%d\n", *v);
	exit(0);
}
