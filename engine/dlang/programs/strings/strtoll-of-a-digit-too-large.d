#pragma D option quiet

BEGIN
{
	printf("%d %d\n", strtoll("128", 8), strtoll("9", 8));
	exit(0);
}
