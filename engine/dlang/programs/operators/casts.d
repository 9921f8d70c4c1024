#pragma D option quiet

BEGIN
{
	printf("(char)200 = %d\n", (char)200);
	printf("(unsigned char)200 = %d\n", (unsigned char)200);
	printf("(short)40000 = %d\n", (short)40000);
	printf("(unsigned short)-1 = %d\n", (unsigned short)-1);
	printf("(int)4294967295 = %d\n", (int)4294967295);
	printf("(unsigned int)-1 = %d\n", (unsigned int)-1);
	printf("(long long)-1 = %d\n", (long long)-1);
	printf("(unsigned long long)-1 = %u\n", (unsigned long long)-1);
	exit(0);
}
