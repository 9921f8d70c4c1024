#pragma D option quiet

BEGIN
{
	@ = sum(1000);
	normalize(@, 10);
	printa("%@d\n", @);
	denormalize(@);
	printa("%@d\n", @);
	exit(0);
}
