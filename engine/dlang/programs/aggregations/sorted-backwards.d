#pragma D option quiet
#pragma D option aggsortrev

BEGIN
{
	@[1] = sum(1);
	@[2] = sum(3);
	@[3] = sum(2);
	printa("%d %@d\n", @);
	exit(0);
}
