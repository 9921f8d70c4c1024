#pragma D option quiet

BEGIN
{
	x = 12;
	y = 10;
	printf("x == y = %d\n", x == y);
	printf("x != y = %d\n", x != y);
	printf("x < y = %d\n", x < y);
	printf("x <= 12 = %d\n", x <= 12);
	printf("x > y = %d\n", x > y);
	printf("y >= 11 = %d\n", y >= 11);
	exit(0);
}
