#pragma D option quiet

BEGIN
{
	@a = count();
	@b = sum(5);
	printa("%@d", @a);
	printa(" %@d\n", @b);
	exit(0);
}
