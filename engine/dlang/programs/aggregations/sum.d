#pragma D option quiet

BEGIN
{
	@ = sum(5);
	@ = sum(-2);
	@ = sum(10);
	printa("%@d\n", @);
	exit(0);
}
