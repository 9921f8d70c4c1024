#!/usr/sbin/dtrace -s
/*
 * priclass - the priorities at which CPUs are found, by scheduling class.
 *
 * Usage: priclass.d
 *
 * A priority is the kernel's own: 0 to 99 are those of real-time threads, 120 is that of a thread
 * of the usual class at nice 0, and the lowest is the best.
 */

#pragma D option quiet

profile:::profile-199hz
{
	@[curlwpsinfo->pr_clname] = lquantize(curlwpsinfo->pr_pri, 0, 140, 10);
}

END
{
	printa("class %s%@d\n", @);
}
