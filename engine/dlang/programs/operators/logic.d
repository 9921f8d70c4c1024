#pragma D option quiet

BEGIN
{
	x = 12;
	y = 10;
	printf("x && y = %d\n", x && y);
	printf("x && 0 = %d\n", x && 0);
	printf("0 || y = %d\n", 0 || y);
	printf("0 || 0 = %d\n", 0 || 0);
	printf("x ^^ y = %d\n", x ^^ y);
	printf("x ^^ 0 = %d\n", x ^^ 0);
	printf("!x = %d\n", !x);
	printf("!!x = %d\n", !!x);
	exit(0);
}
