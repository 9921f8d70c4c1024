#pragma D option quiet

BEGIN
{
	x = 12;
	y = 10;
	printf("-x = %d\n", -x);
	printf("- -x = %d\n", - -x);
	printf("+x = %d\n", +x);
	printf("-(x + y) = %d\n", -(x + y));
	exit(0);
}
