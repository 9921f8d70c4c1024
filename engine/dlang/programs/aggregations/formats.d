#pragma D option quiet

BEGIN
{
	@["k"] = sum(255);
	printa("%-5s|%5@d|%@x|%@u\n", @);
	exit(0);
}
