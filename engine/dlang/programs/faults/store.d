#pragma D option quiet

BEGIN
{
	*(int *)"abc" = 1;
}

BEGIN
{
	printf("next\n");
	exit(0);
}
