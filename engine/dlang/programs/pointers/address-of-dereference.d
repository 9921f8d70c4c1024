#pragma D option quiet

BEGIN
{
	this->p = (int *)alloca(4);
	printf("%d\n", &*this->p == this->p);
	exit(0);
}
