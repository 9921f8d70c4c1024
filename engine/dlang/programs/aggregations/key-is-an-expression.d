#pragma D option quiet

BEGIN
{
	@[1 + 1 == 2 ? "two" : "other"] = count();
	printa("%s %@d\n", @);
	exit(0);
}
