#pragma D option quiet

/*
 * Numbers of different types are the same key.
 */
BEGIN
{
	@a[1] = count();
	@b[2ull] = sum(5);
	@a[2] = count();
	@a[2] = count();
	printa("%d %@d %@d\n", @a, @b);
	exit(0);
}
