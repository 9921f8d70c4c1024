#pragma D option quiet

BEGIN
{
	this->p = (int *)alloca(8);
	this->p[2] = 1;
	printf("never\n");
}

ERROR
{
	printf("fault %d\n", arg4 == DTRACEFLT_BADADDR);
	exit(0);
}
