#!/usr/sbin/dtrace -s
/*
 * hotkernel - the kernel functions that CPUs are found in most.
 *
 * Usage: hotkernel.d
 *
 * Samples each CPU some two hundred times a second until ^C, and prints the number of samples in each
 * function, the most frequent last.
 */

#pragma D option quiet

profile:::profile-199hz
/arg0/
{
	@[func(arg0)] = count();
}

END
{
	printf("%-48s %8s\n", "FUNCTION", "SAMPLES");
	printa("%-48a %@8d\n", @);
}
