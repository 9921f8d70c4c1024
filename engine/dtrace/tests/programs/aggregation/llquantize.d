/* Logarithmic-linear steps. */
#pragma D option quiet
BEGIN
{
	@ = llquantize(0, 10, 0, 2, 20);
	@ = llquantize(3, 10, 0, 2, 20);
	@ = llquantize(57, 10, 0, 2, 20);
	@ = llquantize(1000, 10, 0, 2, 20);
	exit(0);
}
