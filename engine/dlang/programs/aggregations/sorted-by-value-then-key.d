#pragma D option quiet

BEGIN
{
	@["b"] = sum(1);
	@["a"] = sum(1);
	@["c"] = sum(0);
	printa("%s %@d\n", @);
	exit(0);
}
