#!/usr/sbin/dtrace -s
/*
 * vfsstat - how often the calls of the virtual file system are made, every N seconds.
 *
 * Usage: vfsstat.d [SECONDS]
 */

#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	period = $1 ? $1 : 1;
	left = period;
}

fbt:vmlinux:vfs_read:entry,
fbt:vmlinux:vfs_write:entry,
fbt:vmlinux:vfs_open:entry,
fbt:vmlinux:vfs_create:entry,
fbt:vmlinux:vfs_fsync_range:entry
{
	@[probefunc] = count();
}

profile:::tick-1sec
/--left == 0/
{
	printf("%Y\n", walltimestamp);
	printa("%-20s %@8d\n", @);
	printf("\n");
	trunc(@);
	left = period;
}

END
{
	trunc(@);
}
