/* The result of each aggregating function. */
#pragma D option quiet
BEGIN
{
	@count = count();
	@count = count();
	@sum = sum(-5);
	@sum = sum(3);
	@min = min(4);
	@min = min(-9);
	@max = max(4);
	@max = max(-9);
	@avg = avg(7);
	@avg = avg(-2);
	@stddev = stddev(2);
	@stddev = stddev(4);
	@stddev = stddev(4);
	@stddev = stddev(4);
	@stddev = stddev(5);
	@stddev = stddev(5);
	@stddev = stddev(7);
	@stddev = stddev(9);
	exit(0);
}
