#pragma D option quiet

BEGIN
{
	this->p = (int *)alloca(8);
	this->q = this->p + 1;
	this->q[-1] = 4;
	printf("%d\n", this->p[0]);
	exit(0);
}
