#pragma D option quiet

BEGIN
{
	u = 18446744073709551615u;
	printf("u / 2 = %u\n", u / 2);
	printf("u %% 10 = %u\n", u % 10);
	printf("(unsigned int)-7 / 2 = %u\n", (unsigned int)-7 / 2);
	exit(0);
}
