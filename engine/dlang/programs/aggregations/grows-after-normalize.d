#pragma D option quiet

BEGIN
{
	@ = sum(100);
	normalize(@, 10);
	@ = sum(20);
	printa("%@d\n", @);
	exit(0);
}
