#pragma D option quiet

char a[4];

BEGIN
{
	a[0] = 'k';
	@[a] = count();
	printa("%s %@d\n", @);
	exit(0);
}
