#pragma D option quiet

BEGIN
{
	@ = sum(100);
	normalize(@, 10);
	normalize(@, 4);
	printa("%@d\n", @);
	exit(0);
}
