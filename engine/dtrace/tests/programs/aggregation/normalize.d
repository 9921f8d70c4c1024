/* normalize() divides printed values, of existing keys only; denormalize() undoes it. */
#pragma D option quiet
BEGIN
{
	@["a"] = sum(1000);
	@["b"] = sum(-2500);
	@avg = avg(1000);
	@q = quantize(8);
	@q = quantize(8);
	normalize(@, 100);
	normalize(@avg, 3);
	normalize(@q, 2);
	printa("%s %@d\n", @);
	printa("%@d\n", @avg);
	printa(@q);
	denormalize(@);
	printa("%s %@d\n", @);
	exit(0);
}
