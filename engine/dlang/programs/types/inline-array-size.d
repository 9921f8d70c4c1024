#pragma D option quiet

inline int SIZE = 3;
int a[SIZE];

BEGIN
{
	a[2] = 7;
	printf("%d %d\n", a[2], sizeof (a));
	exit(0);
}
