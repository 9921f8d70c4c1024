#pragma D option quiet

BEGIN
{
	@["a"] = quantize(1024);
	@["b"] = quantize(-1024);
	exit(0);
}
