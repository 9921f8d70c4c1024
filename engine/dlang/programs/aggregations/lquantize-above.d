#pragma D option quiet

BEGIN
{
	@ = lquantize(30, 0, 30, 10);
	printa(@);
	exit(0);
}
