#pragma D option quiet
#pragma D option aggsortkey
#pragma D option aggsortkeypos=1

BEGIN
{
	@["a", 3] = sum(1);
	@["b", 1] = sum(1);
	@["c", 2] = sum(1);
	printa("%s %d %@d\n", @);
	exit(0);
}
