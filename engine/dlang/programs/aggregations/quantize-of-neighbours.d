#pragma D option quiet

BEGIN
{
	@ = quantize(7);
	@ = quantize(8);
	printa(@);
	exit(0);
}
