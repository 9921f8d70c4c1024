#pragma D option quiet

BEGIN
{
	@a = sum(0);
	clear(@a);
	printa("%@d\n", @a);
	exit(0);
}
