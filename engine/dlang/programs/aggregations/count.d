#pragma D option quiet

BEGIN
{
	@a = count();
	@a = count();
	@b["x"] = count();
	printa(@a);
	printa("%s: %@d\n", @b);
	exit(0);
}
