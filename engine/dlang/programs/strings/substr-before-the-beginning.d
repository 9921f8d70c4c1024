#pragma D option quiet

BEGIN
{
	printf("[%s]\n", substr("hello", -9));
	printf("[%s]\n", substr("hello", -9, 6));
	printf("[%s]\n", substr("hello", -9, 3));
	exit(0);
}
