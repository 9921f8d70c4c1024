#pragma D option quiet

BEGIN
{
	printf("%s %d\n", json("{\"n\": -12}", "n"), strtoll(json("{\"n\": -12}", "n")));
	exit(0);
}
