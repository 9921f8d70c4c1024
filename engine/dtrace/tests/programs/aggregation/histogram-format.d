/* A histogram ignores its conversion. */
#pragma D option quiet
BEGIN
{
	@["k"] = quantize(4);
	printa("%s:%@d", @);
	exit(0);
}
