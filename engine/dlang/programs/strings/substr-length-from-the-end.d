#pragma D option quiet

BEGIN
{
	printf("[%s]\n", substr("hello", 1, -1));
	printf("[%s]\n", substr("hello", 0, -5));
	printf("[%s]\n", substr("hello", 3, -4));
	exit(0);
}
