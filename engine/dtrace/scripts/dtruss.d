#!/usr/sbin/dtrace -s
/*
 * dtruss - the system calls of a command and its children, with arguments and results.
 *
 * Usage: dtruss.d -c COMMAND
 *        dtruss.d -p PID
 *
 * Of a call that takes a path, the path is shown; of others, three arguments. The last column is
 * the time that the call took, in microseconds.
 */

#pragma D option quiet
#pragma D option switchrate=10hz
#pragma D option zdefs

BEGIN
{
	printf("%6s %s\n", "PID", "CALL(ARGUMENTS) = RESULT ERRNO TIME");
}

syscall:::entry
/progenyof($target)/
{
	self->start = timestamp;
	self->a = arg0;
	self->b = arg1;
	self->c = arg2;
}

syscall::open:entry,
syscall::access:entry,
syscall::chdir:entry,
syscall::readlink:entry,
syscall::stat*:entry,
syscall::lstat*:entry,
syscall::unlink:entry,
syscall::mkdir:entry,
syscall::rmdir:entry
/self->start/
{
	self->path = (uintptr_t)arg0;
}

syscall::openat:entry,
syscall::faccessat*:entry,
syscall::*fstatat*:entry,
syscall::readlinkat:entry,
syscall::statx:entry,
syscall::unlinkat:entry,
syscall::mkdirat:entry
/self->start/
{
	self->path = (uintptr_t)arg1;
}

/* The path of a successful execve is gone with the old program. */
syscall::execve:return
/self->start/
{
	printf("%6d %s(%s) = %d %d %d\n", pid, probefunc, execname, (int)arg1, errno,
	    (timestamp - self->start) / 1000);
	self->start = 0;
	self->path = 0;
}

syscall:::return
/self->start && self->path/
{
	printf("%6d %s(\"%s\") = %d %d %d\n", pid, probefunc, copyinstr(self->path), arg1, errno,
	    (timestamp - self->start) / 1000);
	self->start = 0;
	self->path = 0;
}

syscall:::return
/self->start/
{
	printf("%6d %s(0x%x, 0x%x, 0x%x) = %d %d %d\n", pid, probefunc, self->a, self->b, self->c, arg1,
	    errno, (timestamp - self->start) / 1000);
	self->start = 0;
}

syscall::exit*:entry
/self->start/
{
	printf("%6d %s(%d)\n", pid, probefunc, (int)arg0);
	self->start = 0;
}
