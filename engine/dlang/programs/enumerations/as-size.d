#pragma D option quiet

enum { LENGTH = 3, TWICE = LENGTH * 2 };
int a[LENGTH];

BEGIN
{
	a[LENGTH - 1] = TWICE;
	printf("%d %d\n", a[2], sizeof (a));
	exit(0);
}
