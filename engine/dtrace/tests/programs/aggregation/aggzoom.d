/* The largest value has nearly a full bar. */
#pragma D option quiet
#pragma D option agghist
#pragma D option aggzoom
BEGIN
{
	@c["a"] = count();
	@c["b"] = count();
	@c["b"] = count();
	@s["a", 1] = sum(-5);
	@s["b", 2] = sum(15);
	@m["x"] = max(3);
	exit(0);
}
