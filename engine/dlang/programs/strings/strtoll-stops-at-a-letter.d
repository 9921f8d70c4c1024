#pragma D option quiet

BEGIN
{
	printf("%d %d\n", strtoll("12abc"), strtoll("12abc", 16));
	exit(0);
}
