#pragma D option quiet
#pragma D option destructive

/* What is printed before comes before what the command prints. */
BEGIN
{
	printf("before\n");
	system("echo %s %d", "it runs", 6 * 7);
	printf("after\n");
	exit(0);
}
