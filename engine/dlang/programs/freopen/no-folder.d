#pragma D option quiet
#pragma D option destructive

BEGIN
{
	freopen("/nonexistent/file");
	printf("as before\n");
	exit(0);
}
