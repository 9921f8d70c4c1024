#pragma D option quiet

BEGIN
{
	@[1] = sum(4);
	trunc(@);
	printa("%d %@d\n", @);
	printf("end\n");
	exit(0);
}
