#pragma D option quiet

BEGIN
{
	this->p = (int *)alloca(4);
	printf("%d %d %d\n", this->p && 1, !this->p, !(int *)0);
	exit(0);
}
