#pragma D option quiet

int a[3];

BEGIN
{
	a[0] = 1;
	a[2] = 3;
	printf("%d %d %d\n", a[0], a[1], a[2]);
	a[1] = a[0] + a[2];
	a[1]++;
	a[1] *= 2;
	printf("%d %d\n", a[1], sizeof (a));
	exit(0);
}
