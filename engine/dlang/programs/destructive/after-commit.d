#pragma D option quiet
#pragma D option destructive

/* It records nothing, so it may follow a commit. */
BEGIN
{
	commit(0);
	chill(1);
}

BEGIN
{
	printf("committed\n");
	exit(0);
}
