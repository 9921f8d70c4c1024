#!/usr/sbin/dtrace -s
/*
 * vfscount - how often each function of the virtual file system is called.
 *
 * Usage: vfscount.d
 *
 * The calls are counted until ^C.
 */

#pragma D option quiet

fbt:vmlinux:vfs_*:entry
{
	@[probefunc] = count();
}

END
{
	printf("%-32s %8s\n", "FUNCTION", "CALLS");
	printa("%-32s %@8d\n", @);
}
