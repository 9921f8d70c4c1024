#!/usr/sbin/dtrace -s
/*
 * rwsnoop - each read and write, with the file and the number of bytes.
 *
 * Usage: rwsnoop.d [COMMAND]
 *
 * With a COMMAND, shows the threads of that name only.
 */

#pragma D option quiet
#pragma D option switchrate=10hz
#pragma D option defaultargs

BEGIN
{
	printf("%6s %6s %-16s %s %7s %s\n", "UID", "PID", "COMM", "D", "BYTES", "FILE");
}

syscall::read:entry,
syscall::readv:entry,
syscall::pread64:entry,
syscall::write:entry,
syscall::writev:entry,
syscall::pwrite64:entry
/pid != $pid && ($$1 == "" || execname == $$1)/
{
	self->in = 1;
	self->fd = (int)arg0;
}

syscall::read:return,
syscall::readv:return,
syscall::pread64:return,
syscall::write:return,
syscall::writev:return,
syscall::pwrite64:return
/self->in/
{
	printf("%6d %6d %-16s %s %7d %s\n", uid, pid, execname,
	    strstr(probefunc, "read") != NULL ? "R" : "W", (int)arg1, fds[self->fd].fi_name);
	self->in = 0;
	self->fd = 0;
}
