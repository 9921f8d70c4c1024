BEGIN
{
	@a = llquantize(1, 10, 0, 65536, 20);
}
