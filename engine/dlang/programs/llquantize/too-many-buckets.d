BEGIN
{
	@ = llquantize(1, 200, 0, 5, 20000);
}
