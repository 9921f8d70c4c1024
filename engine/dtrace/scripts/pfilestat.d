#!/usr/sbin/dtrace -s
/*
 * pfilestat - the files that a process reads and writes, and where its time goes.
 *
 * Usage: pfilestat.d -c COMMAND
 *        pfilestat.d -p PID
 *
 * At the end: of each file and direction the calls, bytes and time; of the process, how long it
 * ran, and how long it was off the CPU, runnable or not.
 */

#pragma D option quiet

/* Since when a thread is on a CPU, or off, and whether it could run when it was switched from. */
uint64_t on[pid_t];
uint64_t off[pid_t];
int runnable[pid_t];

syscall::read:entry,
syscall::write:entry
/pid == $target/
{
	self->start = timestamp;
	self->fd = (int)arg0;
}

syscall::read:return,
syscall::write:return
/self->start/
{
	this->file = fds[self->fd].fi_name;
	@calls[this->file, probefunc] = count();
	@bytes[this->file, probefunc] = sum((int)arg1 > 0 ? (int)arg1 : 0);
	@time[this->file, probefunc] = sum(timestamp - self->start);
	self->start = 0;
	self->fd = 0;
}

/* It fires in the thread that is switched from: prev is curthread. */
sdt:::sched_switch
/args[1]->tgid == $target && on[args[1]->pid]/
{
	@state["running"] = sum(timestamp - on[args[1]->pid]);
	on[args[1]->pid] = 0;
}

sdt:::sched_switch
/args[1]->tgid == $target/
{
	off[args[1]->pid] = timestamp;
	runnable[args[1]->pid] = args[3] == 0;
}

sdt:::sched_switch
/args[2]->tgid == $target && off[args[2]->pid]/
{
	@state[runnable[args[2]->pid] ? "waiting for a CPU" : "sleeping"] =
	    sum(timestamp - off[args[2]->pid]);
	off[args[2]->pid] = 0;
	runnable[args[2]->pid] = 0;
}

sdt:::sched_switch
/args[2]->tgid == $target/
{
	on[args[2]->pid] = timestamp;
}

END
{
	printf("%-20s %-6s %8s %12s %16s\n", "FILE", "CALL", "COUNT", "BYTES", "TIME(ns)");
	printa("%-20s %-6s %@8d %@12d %@16d\n", @calls, @bytes, @time);
	printf("\n%-20s %16s\n", "STATE", "TIME(ns)");
	printa("%-20s %@16d\n", @state);
}
