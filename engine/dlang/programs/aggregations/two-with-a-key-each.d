#pragma D option quiet

BEGIN
{
	@a["x"] = sum(1);
	@b["y"] = sum(2);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
