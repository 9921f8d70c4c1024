#pragma D option quiet
#pragma D option aggsortkey

BEGIN
{
	@["b"] = sum(1);
	@["c"] = sum(0);
	@["a"] = sum(2);
	printa("%s %@d\n", @);
	exit(0);
}
