#pragma D option quiet

BEGIN
{
	@a["x"] = count();
	@b["x"] = sum(5);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
