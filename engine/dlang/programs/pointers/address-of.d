#pragma D option quiet

BEGIN
{
	p = (int *)alloca(16);
	q = &p[2];
	*q = 9;
	printf("%d %d\n", p[2], &*q == q);
	exit(0);
}
