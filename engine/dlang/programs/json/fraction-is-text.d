#pragma D option quiet

BEGIN
{
	printf("%s\n", json("{\"n\": 1.5e3}", "n"));
	exit(0);
}
