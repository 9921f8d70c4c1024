#pragma D option quiet

BEGIN
{
	@[probeprov, probename] = count();
	printa("%s %s %@d\n", @);
	exit(0);
}
