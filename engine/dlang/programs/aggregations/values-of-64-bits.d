#pragma D option quiet

BEGIN
{
	@s = sum(4294967296 * 2);
	@m = max(9223372036854775807);
	printa("%@d\n", @s);
	printa("%@d\n", @m);
	exit(0);
}
