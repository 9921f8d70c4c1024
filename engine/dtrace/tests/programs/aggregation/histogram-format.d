/* A histogram is one whatever its conversion says. */
#pragma D option quiet
BEGIN
{
	@["k"] = quantize(4);
	printa("%s:%@d", @);
	exit(0);
}
