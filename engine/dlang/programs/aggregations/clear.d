#pragma D option quiet

BEGIN
{
	@["x"] = sum(5);
	clear(@);
	printa("%s %@d\n", @);
	exit(0);
}
