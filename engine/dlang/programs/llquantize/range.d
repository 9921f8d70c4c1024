BEGIN
{
	@a = llquantize(1, 10, 6, 5, 20);
}
