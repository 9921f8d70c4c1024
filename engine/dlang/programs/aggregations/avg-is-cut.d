#pragma D option quiet

BEGIN
{
	@ = avg(1);
	@ = avg(2);
	@ = avg(2);
	printa("%@d\n", @);
	exit(0);
}
