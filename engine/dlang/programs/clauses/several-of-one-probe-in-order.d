#pragma D option quiet

BEGIN
{
	printf("one ");
}

BEGIN
{
	printf("two ");
}

BEGIN
{
	printf("three\n");
	exit(0);
}
