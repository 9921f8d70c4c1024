/* Keys are sorted by value, then by key. */
#pragma D option quiet
BEGIN
{
	@["b"] = sum(1);
	@["c"] = sum(-7);
	@["a"] = sum(1);
	@["d"] = sum(5);
	exit(0);
}
