/* printa() with and without a format, of one or several; the rest is printed at the end. */
#pragma D option quiet
BEGIN
{
	@a["x", 1] = count();
	@a["y", 2] = count();
	@a["y", 2] = count();
	@b["y", 2] = max(7);
	@rest["not printed"] = count();
	printa("%s %d: %@d\n", @a);
	printa("%-3s|%3d|%@5d|%-@5d|%@x|\n", @a, @b);
	printa(@b);
	printa(@a, @b);
	exit(0);
}
