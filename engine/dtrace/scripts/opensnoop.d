#!/usr/sbin/dtrace -s
/*
 * opensnoop - what is opened, by whom, and with what result.
 *
 * Usage: opensnoop.d [COMMAND]
 *
 * With a COMMAND, shows the threads of that name only. FD is the descriptor, or -1, and ERR the
 * error. A path is read when the call returns, as the call has brought its page in by then.
 */

#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

BEGIN
{
	printf("%6s %6s %-16s %3s %3s %s\n", "UID", "PID", "COMM", "FD", "ERR", "PATH");
}

syscall::open:entry
/$$1 == "" || execname == $$1/
{
	self->path = (uintptr_t)arg0;
}

syscall::openat:entry,
syscall::openat2:entry
/$$1 == "" || execname == $$1/
{
	self->path = (uintptr_t)arg1;
}

syscall::open:return,
syscall::openat:return,
syscall::openat2:return
/self->path/
{
	printf("%6d %6d %-16s %3d %3d %s\n", uid, pid, execname, errno ? -1 : (int)arg1, errno,
	    copyinstr(self->path));
	self->path = 0;
}
