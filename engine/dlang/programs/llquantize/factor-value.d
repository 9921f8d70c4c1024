BEGIN
{
	@a = llquantize(1, 65536, 0, 6, 20);
}
