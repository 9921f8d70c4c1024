#!/usr/sbin/dtrace -s
/*
 * rwtop - the processes that read and write the most bytes, every N seconds.
 *
 * Usage: rwtop.d [SECONDS]
 */

#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	period = $1 ? $1 : 1;
	left = period;
}

syscall::read:return,
syscall::readv:return,
syscall::pread64:return
/pid != $pid && (int)arg1 > 0/
{
	@read["all"] = sum((int)arg1);
	@top[pid, execname, "R"] = sum((int)arg1);
}

syscall::write:return,
syscall::writev:return,
syscall::pwrite64:return
/pid != $pid && (int)arg1 > 0/
{
	@written["all"] = sum((int)arg1);
	@top[pid, execname, "W"] = sum((int)arg1);
}

profile:::tick-1sec
/--left == 0/
{
	trunc(@top, 10);
	printf("%Y\n", walltimestamp);
	printa("read by %s: %@d\n", @read);
	printa("written by %s: %@d\n", @written);
	printf("%6s %-16s %s %12s\n", "PID", "COMM", "D", "BYTES");
	printa("%6d %-16s %s %@12d\n", @top);
	printf("\n");
	trunc(@top);
	trunc(@read);
	trunc(@written);
	left = period;
}

END
{
	trunc(@top);
	trunc(@read);
	trunc(@written);
}
