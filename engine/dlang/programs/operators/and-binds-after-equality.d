#pragma D option quiet

BEGIN
{
	printf("%d %d\n", 6 & 2 == 2, (6 & 2) == 2);
	exit(0);
}
