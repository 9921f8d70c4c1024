#pragma D option quiet

BEGIN
{
	printf("%d %d\n", pid > 0, ppid > 0);
	printf("%d\n", tid > 0);
	printf("%d\n", pid == $pid);
	printf("%s\n", execname == "" ? "none" : "some");
	exit(0);
}
