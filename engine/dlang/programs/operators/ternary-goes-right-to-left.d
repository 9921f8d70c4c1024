#pragma D option quiet

BEGIN
{
	printf("%d %d\n", 1 ? 2 : 0 ? 3 : 4, (1 ? 2 : 0) ? 3 : 4);
	exit(0);
}
