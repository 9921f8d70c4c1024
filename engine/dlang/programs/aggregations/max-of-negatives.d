#pragma D option quiet

BEGIN
{
	@ = max(-7);
	@ = max(-3);
	printa("%@d\n", @);
	exit(0);
}
