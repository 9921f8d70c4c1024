/* A number is printed with the bits of its type. */
#pragma D option quiet
BEGIN
{
	printf("%x %x %x %x\n", (char)-1, (short)-1, -1, -1LL);
	printf("%u %u %u %u\n", (char)-1, (short)-1, -1, -1LL);
	printf("%d %d %d %d\n", (char)-1, (short)-1, -1, -1LL);
	printf("%d %d %d\n", (unsigned char)-1, (unsigned short)-1, -1U);
	printf("%hd %ho %hx %lld %llu %llx\n", (short)-1, (unsigned short)8, (unsigned short)255,
	    -1LL, 1ULL, 255ULL);
	exit(0);
}
