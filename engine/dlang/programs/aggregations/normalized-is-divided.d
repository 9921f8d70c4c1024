#pragma D option quiet

BEGIN
{
	@[1] = sum(100);
	@[2] = sum(57);
	normalize(@, 10);
	printa("%d %@d\n", @);
	exit(0);
}
