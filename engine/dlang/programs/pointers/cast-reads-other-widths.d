#pragma D option quiet

BEGIN
{
	this->p = (uint32_t *)alloca(4);
	*this->p = 0x04030201;
	printf("%d %d %x\n", *(char *)this->p, ((char *)this->p)[3], *(uint16_t *)this->p);
	exit(0);
}
