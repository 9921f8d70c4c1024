#pragma D option quiet

BEGIN
{
	@ = min(5);
	@ = min(-2);
	@ = min(10);
	printa("%@d\n", @);
	exit(0);
}
