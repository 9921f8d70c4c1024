#pragma D option quiet

BEGIN
{
	@[1, "x"] = sum(1);
	@[1, "y"] = sum(2);
	@[2, "x"] = sum(3);
	printa("%d %s %@d\n", @);
	exit(0);
}
