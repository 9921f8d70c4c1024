#pragma D option quiet

BEGIN
{
	x = 0;
}

BEGIN
/1 / x/
{
	printf("never\n");
}

BEGIN
{
	printf("next\n");
	exit(0);
}
