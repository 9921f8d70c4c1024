#pragma D option quiet

BEGIN
{
	printf("%*d\n", "a", 1);
	exit(0);
}
