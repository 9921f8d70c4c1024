#pragma D option quiet

BEGIN
{
	x = (1, 2);
	y = 1, 2;
	printf("%d %d\n", x, y);
	exit(0);
}
