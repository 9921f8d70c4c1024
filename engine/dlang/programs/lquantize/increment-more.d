BEGIN
{
	@a = lquantize(1, 0, 10, 1, 2, 3);
}
