#pragma D option quiet

BEGIN
{
	printf("%s\n", json("{\"a\": {\"b\": [10, 20, 30]}}", "a.b[2]"));
	exit(0);
}
