#!/usr/sbin/dtrace -s
/*
 * procsystime - the time that a command's system calls take, by call.
 *
 * Usage: procsystime.d -c COMMAND
 *        procsystime.d -p PID
 *
 * ELAPSED includes waiting; CPU does not, but includes the time of the probes. Children are included.
 */

#pragma D option quiet

syscall:::entry
/progenyof($target)/
{
	self->start = timestamp;
	self->vstart = vtimestamp;
}

syscall:::return
/self->start/
{
	@calls[probefunc] = count();
	@elapsed[probefunc] = sum(timestamp - self->start);
	@on_cpu[probefunc] = sum(vtimestamp - self->vstart);
	self->start = 0;
	self->vstart = 0;
}

END
{
	printf("%-20s %10s %16s %16s\n", "CALL", "COUNT", "ELAPSED(ns)", "CPU(ns)");
	printa("%-20s %@10d %@16d %@16d\n", @calls, @elapsed, @on_cpu);
}
