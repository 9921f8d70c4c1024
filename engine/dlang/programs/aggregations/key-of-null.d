#pragma D option quiet

BEGIN
{
	p = (char *)0;
	@[p] = sum(1);
	@[0ll] = sum(2);
	exit(0);
}
