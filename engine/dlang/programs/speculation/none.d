#pragma D option quiet

BEGIN
{
	speculate(0);
	printf("lost\n");
}

BEGIN
{
	printf("done\n");
	exit(0);
}
