#pragma D option quiet

BEGIN
{
	@ = min(5);
	@ = min(-7);
	@ = min(0);
	printa("%@d\n", @);
	exit(0);
}
