#pragma D option quiet

BEGIN
{
	this->p = (unsigned char *)alloca(2);
	this->p[0] = 0x1ff;
	printf("%d %d\n", this->p[0], this->p[1]);
	exit(0);
}
