#pragma D option quiet

BEGIN
{
	@ = max(5);
	@ = max(-2);
	@ = max(10);
	printa("%@d\n", @);
	exit(0);
}
