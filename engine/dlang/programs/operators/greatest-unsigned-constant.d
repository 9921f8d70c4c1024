#pragma D option quiet

BEGIN
{
	printf("%u\n", 18446744073709551615u);
	exit(0);
}
