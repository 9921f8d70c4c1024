#pragma D option quiet

BEGIN
{
	exit(0);
	printf("behind exit\n");
}

BEGIN
{
	printf("next clause\n");
}
