#!/usr/sbin/dtrace -s
/*
 * pridist - the priorities at which CPUs are found, by process.
 *
 * Usage: pridist.d
 *
 * A priority is the kernel's own, of which the lowest is the best.
 */

#pragma D option quiet

profile:::profile-199hz
/pid/
{
	@[execname, pid] = lquantize(curlwpsinfo->pr_pri, 0, 140, 10);
}

END
{
	printa("%s, process %d%@d\n", @);
}
