#pragma D option quiet

BEGIN
{
	@[1, "a", 'x'] = sum(4);
	@[1, "a", 'y'] = sum(3);
	printa("%d %s %c %@d\n", @);
	exit(0);
}
