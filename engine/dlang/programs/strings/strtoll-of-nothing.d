#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", strtoll(""), strtoll("-"), strtoll(" "));
	exit(0);
}
