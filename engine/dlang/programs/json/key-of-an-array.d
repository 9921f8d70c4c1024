#pragma D option quiet

BEGIN
{
	printf("%d\n", json("[1, 2]", "a") == NULL);
	exit(0);
}
