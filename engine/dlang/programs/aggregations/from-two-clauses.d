#pragma D option quiet

BEGIN
{
	@["x"] = count();
}

BEGIN
{
	@["x"] = count();
	exit(0);
}

END
{
	printa("%s %@d\n", @);
}
