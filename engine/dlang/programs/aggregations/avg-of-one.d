#pragma D option quiet

BEGIN
{
	@ = avg(-9);
	printa("%@d\n", @);
	exit(0);
}
