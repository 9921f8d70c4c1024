#pragma D option quiet

BEGIN
{
	this->p = alloca(8);
	tracemem(this->p, -1);
	exit(0);
}
