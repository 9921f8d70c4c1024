#pragma D option quiet

BEGIN
{
	@s["x"] = sum(-5);
	@m["x"] = min(-7);
	@x["x"] = max(-9);
	printa("%s %@d %@d %@d\n", @s, @m, @x);
	exit(0);
}
