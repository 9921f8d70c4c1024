#pragma D option quiet

BEGIN
{
	printf("[%s] [%s]\n", substr("", 0), substr("", -1, 1));
	exit(0);
}
