#pragma D option quiet

BEGIN
{
	@ = stddev(5);
	@ = stddev(5);
	@ = stddev(5);
	printa("%@d\n", @);
	exit(0);
}
