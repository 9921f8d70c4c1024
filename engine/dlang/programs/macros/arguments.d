#pragma D option quiet

BEGIN
{
	printf("%d %s %s\n", $1, $$1, $2);
	exit(0);
}
