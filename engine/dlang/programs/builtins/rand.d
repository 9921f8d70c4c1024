#pragma D option quiet

BEGIN
{
	x = rand();
	y = rand();
	printf("%d %d\n", x >= 0, x != y || rand() != y);
	exit(0);
}
