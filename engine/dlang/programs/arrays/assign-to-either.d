#pragma D option quiet

int a[3], b[3];

BEGIN
{
	x = 1;
	(x ? a : b)[1] = 5;
	*(x ? b : a) = 6;
	printf("%d %d\n", a[1], b[0]);
	exit(0);
}
