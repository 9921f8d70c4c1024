/* An address without a symbol is printed as a number. */
#pragma D option quiet
BEGIN
{
	printf("%a [%8a]\n", 16ULL, 16ULL);
	exit(0);
}
