#pragma D option quiet

inline int N = 4;
int v[N];

BEGIN
{
	printf("%d\n", sizeof (v));
	exit(0);
}
