#pragma D option quiet

BEGIN
{
	speculate(0);
	printf("never\n");
}

BEGIN
{
	printf("end\n");
	exit(0);
}
