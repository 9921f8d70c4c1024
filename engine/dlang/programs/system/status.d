#pragma D option quiet
#pragma D option destructive

BEGIN
{
	system("exit 3");
	system("nonexistent-command 2>/dev/null; echo went on");
	exit(0);
}
