#pragma D option quiet

int a[2][3];

BEGIN
{
	a[0][1] = 1;
	a[1][2] = 12;
	i = 1;
	printf("%d %d %d\n", a[0][1], a[i][2], a[1][0]);
	exit(0);
}
