#pragma D option quiet

BEGIN
{
	@[1] = sum(-1);
	@[2] = sum(-20);
	@[3] = sum(5);
	printa("%d %@d\n", @);
	exit(0);
}
