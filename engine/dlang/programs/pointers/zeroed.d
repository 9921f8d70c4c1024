#pragma D option quiet

BEGIN
{
	p = (long long *)alloca(16);
	printf("%d %d\n", p[0], p[1]);
	exit(0);
}
