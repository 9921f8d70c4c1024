#pragma D option quiet

BEGIN
{
	printf("%d %d\n", 3 > 2 == 1, 3 > (2 == 1));
	exit(0);
}
