#pragma D option quiet

BEGIN
{
	@ = count();
	printa("%@d ", @);
	printa("%@d\n", @);
	exit(0);
}
