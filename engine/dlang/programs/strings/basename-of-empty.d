#pragma D option quiet

BEGIN
{
	printf("%s %s\n", basename(""), dirname(""));
	exit(0);
}
