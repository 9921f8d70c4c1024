#pragma D option quiet

BEGIN
{
	i = 5;
	printf("%d %d\n", --i, i);
	exit(0);
}
