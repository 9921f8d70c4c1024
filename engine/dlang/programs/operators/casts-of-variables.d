#pragma D option quiet

BEGIN
{
	x = 200;
	n = -1;
	printf("(char)x = %d\n", (char)x);
	printf("(unsigned char)n = %d\n", (unsigned char)n);
	printf("(short)(x * 200) = %d\n", (short)(x * 200));
	printf("(unsigned int)n = %d\n", (unsigned int)n);
	printf("(long long)n = %d\n", (long long)n);
	printf("(uint64_t)n = %u\n", (uint64_t)n);
	exit(0);
}
