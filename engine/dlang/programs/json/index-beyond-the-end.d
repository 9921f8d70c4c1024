#pragma D option quiet

BEGIN
{
	printf("%d\n", json("[1, 2]", "[2]") == NULL);
	exit(0);
}
