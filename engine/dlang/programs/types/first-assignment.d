#pragma D option quiet

BEGIN
{
	x = 5;
	x = 4294967297;
	printf("%d\n", x);
	y = 5ll;
	y = 4294967297;
	printf("%d\n", y);
	exit(0);
}
