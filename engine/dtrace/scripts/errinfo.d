#!/usr/sbin/dtrace -s
/*
 * errinfo - system calls that fail, by command, call and error.
 *
 * Usage: errinfo.d
 *
 * The errors are counted until ^C.
 */

#pragma D option quiet

/* What the commonest errors are called; they have these numbers on every architecture here. */
inline string error_name[int e] =
	e == 1 ? "EPERM" : e == 2 ? "ENOENT" : e == 3 ? "ESRCH" : e == 4 ? "EINTR" :
	e == 5 ? "EIO" : e == 9 ? "EBADF" : e == 10 ? "ECHILD" : e == 11 ? "EAGAIN" :
	e == 12 ? "ENOMEM" : e == 13 ? "EACCES" : e == 14 ? "EFAULT" : e == 17 ? "EEXIST" :
	e == 20 ? "ENOTDIR" : e == 21 ? "EISDIR" : e == 22 ? "EINVAL" : e == 25 ? "ENOTTY" :
	e == 29 ? "ESPIPE" : e == 32 ? "EPIPE" : e == 38 ? "ENOSYS" : "";

syscall:::return
/errno/
{
	@[execname, probefunc, errno, error_name[errno]] = count();
}

END
{
	printf("%-16s %-20s %5s %-8s %8s\n", "COMMAND", "CALL", "ERROR", "NAME", "COUNT");
	printa("%-16s %-20s %5d %-8s %@8d\n", @);
}
