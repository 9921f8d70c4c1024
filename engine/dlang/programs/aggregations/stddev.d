#pragma D option quiet

BEGIN
{
	@ = stddev(1);
	@ = stddev(1);
	@ = stddev(4);
	@ = stddev(4);
	printa("%@d\n", @);
	exit(0);
}
