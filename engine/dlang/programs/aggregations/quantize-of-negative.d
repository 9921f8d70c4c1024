#pragma D option quiet

BEGIN
{
	@ = quantize(-3);
	printa(@);
	exit(0);
}
