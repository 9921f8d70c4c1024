#pragma D option quiet

BEGIN
{
	x = 0;
	printf("before\n");
	printf("%d\n", 1 / x);
}

BEGIN
{
	exit(0);
}
