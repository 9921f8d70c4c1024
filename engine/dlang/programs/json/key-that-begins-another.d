#pragma D option quiet

BEGIN
{
	printf("%s\n", json("{\"ab\": 1, \"a\": 2}", "a"));
	exit(0);
}
