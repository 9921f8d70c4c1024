#pragma D option quiet

BEGIN
{
	printf("%d\n", json("{\"a\": 1}", "[0]") == NULL);
	exit(0);
}
