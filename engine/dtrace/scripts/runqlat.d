#!/usr/sbin/dtrace -s
/*
 * runqlat - how long threads wait for a CPU once they can run.
 *
 * Usage: runqlat.d
 *
 * A thread can run when it is woken, when it is new, or when it was switched from while it could
 * still run. The distribution is in nanoseconds, and is printed on ^C.
 */

#pragma D option quiet
#pragma D option dynvarsize=4m

uint64_t ready[pid_t];

sdt:::sched_wakeup,
sdt:::sched_wakeup_new
{
	ready[args[0]->pid] = timestamp;
}

sdt:::sched_switch
/args[3] == 0 && args[1]->pid/
{
	ready[args[1]->pid] = timestamp;
}

sdt:::sched_switch
/ready[args[2]->pid]/
{
	@["waiting for a CPU, in ns"] = quantize(timestamp - ready[args[2]->pid]);
	ready[args[2]->pid] = 0;
}
