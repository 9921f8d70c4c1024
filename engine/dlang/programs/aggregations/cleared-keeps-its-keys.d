#pragma D option quiet

BEGIN
{
	@[1] = sum(4);
	@[2] = sum(5);
	clear(@);
	printa("%d %@d\n", @);
	exit(0);
}
