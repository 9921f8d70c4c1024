#!/usr/sbin/dtrace -s
/*
 * execsnoop - each program that is executed, with its arguments.
 *
 * Usage: execsnoop.d
 */

#pragma D option quiet

BEGIN
{
	printf("%6s %6s %6s %s\n", "UID", "PID", "PPID", "ARGS");
}

proc:::exec-success
{
	printf("%6d %6d %6d %s\n", uid, pid, ppid, curpsinfo->pr_psargs);
}
