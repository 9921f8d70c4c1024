#pragma D option quiet

BEGIN
{
	@ = lquantize(1, 0, 4);
	@ = lquantize(1, 0, 4);
	exit(0);
}
