BEGIN
{
	@a = lquantize(1, 4294967296, 10);
}
