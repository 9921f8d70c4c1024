#pragma D option quiet

BEGIN
{
	p = (int *)alloca(16);
	*p = 1;
	p[1] = 2;
	*(p + 2) = 3;
	printf("%d %d %d %d\n", *p, p[1], p[2], p[3]);
	exit(0);
}
