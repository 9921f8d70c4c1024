#pragma D option quiet

BEGIN
{
	@ = avg(5);
	@ = avg(-2);
	@ = avg(10);
	printa("%@d\n", @);
	exit(0);
}
