#pragma D option quiet

BEGIN
{
	@a = count();
	printa("once %@d\n", @a);
	exit(0);
}
