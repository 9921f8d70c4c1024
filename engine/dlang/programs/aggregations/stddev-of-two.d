#pragma D option quiet

BEGIN
{
	@ = stddev(10);
	@ = stddev(20);
	printa("%@d\n", @);
	exit(0);
}
