#!/usr/sbin/dtrace -s
/*
 * tcptop - the processes that send and receive the most by TCP, every N seconds.
 *
 * Usage: tcptop.d [SECONDS]
 *
 * SENT counts what a process gives to TCP, RECEIVED what it takes from it.
 */

#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	period = $1 ? $1 : 1;
	left = period;
}

fbt:vmlinux:tcp_sendmsg:return
/(int)arg1 > 0/
{
	@sent[pid, execname] = sum((int)arg1);
	@received[pid, execname] = sum(0);
}

fbt:vmlinux:tcp_recvmsg:return
/(int)arg1 > 0/
{
	@sent[pid, execname] = sum(0);
	@received[pid, execname] = sum((int)arg1);
}

profile:::tick-1sec
/--left == 0/
{
	printf("%Y\n%6s %-16s %12s %12s\n", walltimestamp, "PID", "COMM", "SENT", "RECEIVED");
	printa("%6d %-16s %@12d %@12d\n", @sent, @received);
	printf("\n");
	trunc(@sent);
	trunc(@received);
	left = period;
}

END
{
	trunc(@sent);
	trunc(@received);
}
