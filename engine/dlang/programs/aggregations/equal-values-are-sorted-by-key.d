#pragma D option quiet

BEGIN
{
	@["b"] = count();
	@["a"] = count();
	@["c"] = count();
	printa("%s %@d\n", @);
	exit(0);
}
