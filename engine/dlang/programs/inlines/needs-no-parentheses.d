#pragma D option quiet

inline int SUM = 1 + 2;

BEGIN
{
	printf("%d\n", SUM * 2);
	exit(0);
}
