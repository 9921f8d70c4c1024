#pragma D option quiet

BEGIN
{
	@a[1] = count();
	@a[1] = count();
	@a[2] = count();
	printa("%d %@d\n", @a);
	exit(0);
}
