#pragma D option quiet

BEGIN
{
	@["x"] = sum(5);
	clear(@);
	@["x"] = sum(2);
	printa("%s %@d\n", @);
	exit(0);
}
