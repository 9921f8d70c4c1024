#pragma D option quiet

BEGIN
{
	x = y = 3;
	printf("%d %d\n", x, y);
	printf("%d\n", x += y);
	printf("%d\n", (x = 5) + x);
	exit(0);
}
