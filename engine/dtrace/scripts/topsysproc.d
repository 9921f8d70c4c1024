#!/usr/sbin/dtrace -s
/*
 * topsysproc - the commands that make the most system calls, every N seconds.
 *
 * Usage: topsysproc.d [SECONDS]
 */

#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	period = $1 ? $1 : 1;
	left = period;
}

syscall:::entry
{
	@[execname] = count();
}

profile:::tick-1sec
/--left == 0/
{
	trunc(@, 10);
	printf("%Y\n%-20s %s\n", walltimestamp, "COMMAND", "CALLS");
	printa("%-20s %@d\n", @);
	printf("\n");
	trunc(@);
	left = period;
}

END
{
	trunc(@);
}
