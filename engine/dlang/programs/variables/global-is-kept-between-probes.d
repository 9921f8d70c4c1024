#pragma D option quiet

BEGIN
{
	n = 5;
	exit(0);
}

END
{
	printf("%d\n", n);
}
