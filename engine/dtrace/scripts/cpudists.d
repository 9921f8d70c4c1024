#!/usr/sbin/dtrace -s
/*
 * cpudists - for how long a thread stays on a CPU, in three groups: processes, the kernel's threads,
 * and idle.
 *
 * Usage: cpudists.d
 *
 * The distributions are in nanoseconds, and are printed on ^C.
 */

#pragma D option quiet

uint64_t since[int];

/* The bit of a thread's flags that the kernel names PF_KTHREAD. */
inline int KERNEL_THREAD = 0x200000;

sdt:::sched_switch
/since[cpu]/
{
	@[args[1]->pid == 0 ? "idle" : args[1]->flags & KERNEL_THREAD ? "kernel" : "process"] =
	    quantize(timestamp - since[cpu]);
}

sdt:::sched_switch
{
	since[cpu] = timestamp;
}

END
{
	printa("%s%@d\n", @);
}
