/* Floating-point numbers read from memory. */
#pragma D option quiet
BEGIN
{
	p = (uint32_t *)alloca(4);
	*p = 0x40490fdb;
	q = (uint64_t *)alloca(8);
	*q = 0xc0934a456d5cfaad;
	printf("[%f] [%e] [%g] [%8.3f]\n", *(float *)p, *(float *)p, *(float *)p, *(float *)p);
	printf("[%f] [%E] [%G] [%-12.1f]\n", *(double *)q, *(double *)q, *(double *)q, *(double *)q);
	exit(0);
}
