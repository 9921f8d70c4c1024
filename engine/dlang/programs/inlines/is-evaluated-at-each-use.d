#pragma D option quiet

int n;
inline int next = ++n;

BEGIN
{
	printf("%d ", next);
	printf("%d ", next);
	printf("%d\n", n);
	exit(0);
}
