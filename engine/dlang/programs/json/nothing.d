#pragma D option quiet

BEGIN
{
	printf("%d", json("{ \"a\": 1 }", "b") == NULL);
	printf("%d", json("{ \"a\": 1 }", "a.b") == NULL);
	printf("%d", json("{ \"a\": 1 }", "a") == NULL);
	printf("%d", json("[ 0 ]", "[1]") == NULL);
	printf("%d", json("no text", "a") == NULL);
	printf("%d\n", json("", "a") == NULL);
	exit(0);
}
