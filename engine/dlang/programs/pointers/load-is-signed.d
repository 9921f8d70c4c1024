#pragma D option quiet

BEGIN
{
	this->p = (char *)alloca(1);
	*this->p = 0xff;
	printf("%d %d\n", *this->p, *(unsigned char *)this->p);
	exit(0);
}
