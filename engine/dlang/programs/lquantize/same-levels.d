#pragma D option quiet
BEGIN
{
	@ = lquantize(5, 0, 10, 3);
	@ = lquantize(8, 0, 11, 3);
	exit(0);
}
