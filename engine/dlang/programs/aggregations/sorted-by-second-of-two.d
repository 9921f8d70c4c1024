#pragma D option quiet
#pragma D option aggsortpos=1

BEGIN
{
	@a[1] = sum(1);
	@a[2] = sum(2);
	@b[1] = sum(9);
	@b[2] = sum(3);
	printa("%d %@d %@d\n", @a, @b);
	exit(0);
}
