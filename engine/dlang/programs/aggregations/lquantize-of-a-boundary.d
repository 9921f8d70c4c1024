#pragma D option quiet

BEGIN
{
	@ = lquantize(9, 0, 30, 10);
	@ = lquantize(10, 0, 30, 10);
	printa(@);
	exit(0);
}
