/* Bars end in eighths of a column. */
#pragma D option quiet
#pragma D option agghist
#pragma D option encoding=utf8
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
