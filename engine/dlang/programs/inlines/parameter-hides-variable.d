#pragma D option quiet

int k;
inline int plus[int k] = k + 1;
inline int other[int j] = plus[j * 2] + k;

BEGIN
{
	k = 100;
	printf("%d %d\n", plus[k + 1], other[3]);
	exit(0);
}
