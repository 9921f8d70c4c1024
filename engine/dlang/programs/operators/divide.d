#pragma D option quiet

BEGIN
{
	x = 12;
	y = 10;
	printf("x / y = %d\n", x / y);
	printf("-x / y = %d\n", -x / y);
	printf("7 / 2 = %d\n", 7 / 2);
	printf("x / -5 = %d\n", x / -5);
	exit(0);
}
