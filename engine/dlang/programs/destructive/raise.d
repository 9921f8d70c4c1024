#pragma D option quiet
#pragma D option destructive

/* BEGIN fires in the command's own process, which ends as after a kill. */
BEGIN
{
	printf("raising\n");
	raise(15);
}

END
{
	printf("interrupted\n");
}
