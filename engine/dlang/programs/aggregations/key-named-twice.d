#pragma D option quiet

BEGIN
{
	@["k"] = sum(3);
	printa("%s\n", @);
	exit(0);
}
