#pragma D option quiet
#pragma D option scratchsize=1k

BEGIN
{
	this->n = (size_t)4096;
	this->a = alloca(this->n);
}

ERROR
{
	printf("fault %d\n", arg4);
	exit(0);
}
