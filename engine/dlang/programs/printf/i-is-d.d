#pragma D option quiet

BEGIN
{
	printf("%i %d\n", -7, -7);
	exit(0);
}
