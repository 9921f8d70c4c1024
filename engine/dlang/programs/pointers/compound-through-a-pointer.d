#pragma D option quiet

BEGIN
{
	this->p = (int *)alloca(4);
	*this->p = 5;
	*this->p += 3;
	(*this->p)++;
	printf("%d\n", *this->p);
	exit(0);
}
