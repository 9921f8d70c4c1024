#pragma D option quiet

BEGIN
{
	@ = sum(-3);
	@ = sum(1);
	printa("%@d\n", @);
	exit(0);
}
