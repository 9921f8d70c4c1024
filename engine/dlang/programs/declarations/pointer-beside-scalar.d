#pragma D option quiet

int *p, n;

BEGIN
{
	printf("%d %d\n", sizeof (p) == sizeof (void *), sizeof (n));
	exit(0);
}
