#pragma D option quiet

BEGIN
{
	printf("%d %d\n", 100 / 10 / 2, 100 / (10 / 2));
	exit(0);
}
