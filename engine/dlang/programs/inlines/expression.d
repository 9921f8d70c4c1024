#pragma D option quiet

int n;
inline int next = n + 1;
inline int twice = next * 2;

BEGIN
{
	n = 4;
	printf("%d %d\n", next, twice);
	n = 10;
	printf("%d %d\n", next, twice);
	exit(0);
}
