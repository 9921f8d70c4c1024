#pragma D option quiet

BEGIN
{
	@[(short)-1] = sum(1);
	printa("%d %@d\n", @);
}

BEGIN
{
	@[0x7fffffffffffffff] = sum(2);
	exit(0);
}
