#pragma D option quiet

BEGIN
{
	@ = quantize(4, 3);
	@ = quantize(4, 2);
	exit(0);
}
