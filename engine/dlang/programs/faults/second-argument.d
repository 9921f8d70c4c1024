#pragma D option quiet

BEGIN
{
	x = 0;
	printf("%d %d\n", 1, 2 / x);
}

BEGIN
{
	printf("next\n");
	exit(0);
}
