#pragma D option quiet

BEGIN
{
	@["x"] = sum(1);
	trunc(@);
	printa("%s %@d\n", @);
	printf("done\n");
	exit(0);
}
