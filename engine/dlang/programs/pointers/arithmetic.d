#pragma D option quiet

BEGIN
{
	p = (int *)alloca(16);
	q = p + 3;
	*q = 7;
	printf("%d %d\n", q - p, p[3]);
	q--;
	printf("%d %d\n", q - p, q > p);
	q -= 2;
	printf("%d\n", q == p);
	exit(0);
}
