/* Macro arguments as tokens and as strings. */
#pragma D option quiet
BEGIN
{
	printf("%s %d %s %d\n", $$1, $2, $$2, $3);
	exit($4);
}
