#pragma D option quiet
#pragma D option destructive

/* No debugger is attached to the kernel. */
BEGIN
{
	breakpoint();
}

BEGIN
{
	exit(0);
}
