#pragma D option quiet
#pragma D option destructive

BEGIN
{
	system("rm -f /tmp/freopen.%d", $pid);
	freopen("/tmp/freopen.%d", $pid);
	printf("to the file\n");
	system("echo a command, too");
	freopen("");
	printf("to standard output\n");
	freopen("/tmp/freopen.%d", $pid);
	printf("again\n");
	freopen("");
	system("cat /tmp/freopen.%d; rm /tmp/freopen.%d", $pid, $pid);
	exit(0);
}
