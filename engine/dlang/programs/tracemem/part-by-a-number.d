#pragma D option quiet

BEGIN
{
	this->p = (char *)alloca(8);
	bcopy("abcdefg", this->p, 8);
	tracemem(this->p, 8, 3);
	exit(0);
}
