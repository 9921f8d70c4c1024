#pragma D option quiet

BEGIN
{
	printf("%d %d\n", json("{\"a\": ", "a") == NULL, json("", "a") == NULL);
	exit(0);
}
