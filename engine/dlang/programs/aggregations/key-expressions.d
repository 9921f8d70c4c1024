#pragma D option quiet

BEGIN
{
	i = 3;
	@[i * 2, strjoin("a", "b")] = count();
	printa("%d %s %@d\n", @);
	exit(0);
}
