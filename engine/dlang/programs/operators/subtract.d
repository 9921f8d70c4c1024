#pragma D option quiet

BEGIN
{
	x = 12;
	y = 10;
	printf("x - y = %d\n", x - y);
	printf("y - x = %d\n", y - x);
	printf("10 - 3 - 2 = %d\n", 10 - 3 - 2);
	exit(0);
}
