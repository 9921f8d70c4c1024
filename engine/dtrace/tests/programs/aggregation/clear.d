/* clear() retains keys and resets values. */
#pragma D option quiet
BEGIN
{
	@c["a"] = count();
	@m["a"] = min(5);
	@q["a"] = lquantize(1, 0, 2, 1);
	clear(@c);
	clear(@m);
	clear(@q);
	exit(0);
}
