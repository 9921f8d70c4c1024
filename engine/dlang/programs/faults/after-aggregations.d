#pragma D option quiet

/*
 * Each thing that is done to an aggregation is an action, of which trunc() is two.
 */
BEGIN
{
	@a = count();
	clear(@a);
	denormalize(@a);
	normalize(@a, 2);
	trunc(@a);
	trunc(@a, 1);
	printa(@a);
	trace(*(int *)64);
}

BEGIN
{
	exit(0);
}
