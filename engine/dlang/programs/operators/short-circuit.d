#pragma D option quiet

BEGIN
{
	x = 0;
	y = 0;
	z = 1;
	(x && y++) + (z || y++);
	printf("%d\n", y);
	(z && y++) + (x || y++);
	printf("%d\n", y);
	exit(0);
}
