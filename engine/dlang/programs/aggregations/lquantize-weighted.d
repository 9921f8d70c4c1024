#pragma D option quiet

BEGIN
{
	@ = lquantize(5, 0, 30, 10, 3);
	@ = lquantize(15, 0, 30, 10);
	printa(@);
	exit(0);
}
