/* Keys are sorted by the second of two aggregations. */
#pragma D option quiet
#pragma D option aggsortpos=1
BEGIN
{
	@a["x"] = sum(1);
	@a["y"] = sum(2);
	@b["x"] = sum(9);
	@b["y"] = sum(8);
	printa(@a, @b);
	exit(0);
}
