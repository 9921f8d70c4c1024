#pragma D option quiet

BEGIN
{
	printf("10 = %d\n", 10);
	printf("010 = %d\n", 010);
	printf("0x10 = %d\n", 0x10);
	printf("0XfF = %d\n", 0XfF);
	printf("2147483648 = %d\n", 2147483648);
	printf("4294967295u = %u\n", 4294967295u);
	printf("1ull = %u\n", 1ull);
	printf("5L = %d\n", 5L);
	printf("9223372036854775807 = %d\n", 9223372036854775807);
	exit(0);
}
