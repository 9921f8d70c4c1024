#pragma D option quiet

BEGIN
{
	@ = sum(57);
	normalize(@, 10);
	denormalize(@);
	printa("%@d\n", @);
	exit(0);
}
