#pragma D option quiet

BEGIN
{
	this->p = (int *)alloca(16);
	*(this->p + 2) = 7;
	printf("%d %d\n", this->p[2], *(2 + this->p));
	exit(0);
}
