#pragma D option quiet

BEGIN
{
	@["x"] = sum(1);
	@["y"] = sum(2);
	@["z"] = sum(3);
	trunc(@, 2);
	printa("%s %@d\n", @);
	exit(0);
}
