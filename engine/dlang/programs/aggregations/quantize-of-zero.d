#pragma D option quiet

BEGIN
{
	@ = quantize(0);
	printa(@);
	exit(0);
}
