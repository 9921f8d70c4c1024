#pragma D option quiet

BEGIN
{
	printf("%d %d\n", -1 < 1, -1 < 1u);
	exit(0);
}
