#pragma D option quiet

BEGIN
{
	n = 5;
	m++;
}

inline int next = n + m;

BEGIN
{
	printf("%d\n", next);
	exit(0);
}
