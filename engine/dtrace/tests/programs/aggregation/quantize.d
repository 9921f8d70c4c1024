/* Powers of two, below and above zero, with increments. */
#pragma D option quiet
BEGIN
{
	@one = quantize(-5);
	@one = quantize(0);
	@one = quantize(1);
	@one = quantize(3, 5);
	@least = quantize(-9223372036854775807LL - 1);
	@both = quantize(1);
	@both = quantize(8, -1);
	@none = quantize(4);
	clear(@none);
	exit(0);
}
