#pragma D option quiet

BEGIN
{
	i = 0;
}

tick-10ms
{
	i++;
	printf("%d\n", i);
}

tick-10ms
/i == 3/
{
	exit(0);
}
