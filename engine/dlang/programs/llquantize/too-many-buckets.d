BEGIN
{
	@ = llquantize(1, 2, 0, 61, 32768);
}
