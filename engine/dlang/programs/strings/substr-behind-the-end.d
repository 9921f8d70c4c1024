#pragma D option quiet

BEGIN
{
	printf("[%s] [%s]\n", substr("hello", 6), substr("hello", 99, 1));
	exit(0);
}
