#pragma D option quiet

BEGIN
{
	x = 12;
	y = 10;
	printf("x + y = %d\n", x + y);
	printf("x + -20 = %d\n", x + -20);
	printf("1 + 2 = %d\n", 1 + 2);
	exit(0);
}
