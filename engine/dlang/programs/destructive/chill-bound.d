#pragma D option quiet
#pragma D option destructive

/* A CPU may spin for half of each second. */
BEGIN
{
	chill(500000001);
}

BEGIN
{
	chill(-1);
}

BEGIN
{
	chill(1);
	printf("chilled\n");
	exit(0);
}
