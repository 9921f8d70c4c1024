#pragma D option quiet
#pragma D option destructive

BEGIN
{
	freopen("/tmp/ftruncate.%d", $pid);
	printf("lost\n");
	ftruncate();
	printf("kept\n");
	freopen("");
	system("cat /tmp/ftruncate.%d; rm /tmp/ftruncate.%d", $pid, $pid);
	exit(0);
}
