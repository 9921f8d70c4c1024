#pragma D option quiet

BEGIN
{
	x = 12;
	y = 10;
	printf("x %% y = %d\n", x % y);
	printf("-x %% y = %d\n", -x % y);
	printf("x %% -5 = %d\n", x % -5);
	printf("7 %% 4 = %d\n", 7 % 4);
	exit(0);
}
