#pragma D option quiet

BEGIN
/0/
{
	printf("never\n");
}

BEGIN
{
	printf("always\n");
	exit(0);
}
