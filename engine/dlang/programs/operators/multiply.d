#pragma D option quiet

BEGIN
{
	x = 12;
	y = 10;
	printf("x * y = %d\n", x * y);
	printf("-x * y = %d\n", -x * y);
	printf("6 * 7 = %d\n", 6 * 7);
	exit(0);
}
