#pragma D option quiet

int n;
inline int taken = n++;

BEGIN
{
	printf("%d %d %d\n", taken, taken, n);
	exit(0);
}
