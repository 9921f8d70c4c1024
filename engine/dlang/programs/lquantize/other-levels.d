BEGIN
{
	@ = lquantize(5, 0, 10, 3);
	@ = lquantize(8, 0, 14, 3);
}
