#pragma D option quiet

BEGIN
{
	printf("%o %#o\n", 64, 64);
	exit(0);
}
