#pragma D option quiet

BEGIN
{
	@[1] = sum(4);
	@[2] = sum(6);
	@[3] = sum(5);
	trunc(@, 2);
	printa("%d %@d\n", @);
	exit(0);
}
