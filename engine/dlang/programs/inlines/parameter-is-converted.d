#pragma D option quiet

inline int low[unsigned char c] = c;

BEGIN
{
	printf("%d\n", low[300]);
	exit(0);
}
