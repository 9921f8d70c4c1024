/* Packed histograms: one line each. */
#pragma D option quiet
#pragma D option aggpack
#pragma D option encoding=ascii
BEGIN
{
	@q["a"] = quantize(1);
	@q["b"] = quantize(100, 5);
	@q["b"] = quantize(900, 3);
	@l["a"] = lquantize(3, 0, 10, 2);
	@l["b"] = lquantize(-1, 0, 10, 2);
	exit(0);
}
