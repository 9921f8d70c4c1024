BEGIN
{
	@a = lquantize(1, 0, 4294967296);
}
