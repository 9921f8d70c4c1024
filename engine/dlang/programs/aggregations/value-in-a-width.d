#pragma D option quiet

BEGIN
{
	@["k"] = sum(5);
	printa("[%-4s] [%@4d] [%-@4d]\n", @);
	exit(0);
}
