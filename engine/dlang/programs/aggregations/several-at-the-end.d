#pragma D option quiet

BEGIN
{
	@b["x", 1] = count();
	@a["y", -2] = sum(5);
	@c[10ll] = max(7);
	exit(0);
}
