#pragma D option quiet

BEGIN
{
	printf("%d %d\n", $pid > 0, strlen($$pid) > 0);
	printf("%d\n", $target);
	exit(0);
}
