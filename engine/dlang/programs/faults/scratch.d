#pragma D option quiet

BEGIN
{
	x = alloca(1000000000);
}

BEGIN
{
	printf("next\n");
	exit(0);
}
