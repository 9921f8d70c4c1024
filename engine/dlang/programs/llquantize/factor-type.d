BEGIN
{
	@a = llquantize(1, pid, 0, 6, 20);
}
