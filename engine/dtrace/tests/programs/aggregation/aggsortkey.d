/* Order with aggsortkey. */
#pragma D option quiet
#pragma D option aggsortkey
BEGIN
{
	@["b"] = sum(1);
	@["c"] = sum(-7);
	@["a"] = sum(1);
	@["d"] = sum(5);
	exit(0);
}
