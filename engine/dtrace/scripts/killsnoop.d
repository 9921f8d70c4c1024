#!/usr/sbin/dtrace -s
/*
 * killsnoop - signals that are sent by kill(2), and with what result.
 *
 * Usage: killsnoop.d
 */

#pragma D option quiet

BEGIN
{
	printf("%6s %-16s %6s %8s %s\n", "FROM", "COMMAND", "SIG", "TO", "RESULT");
}

syscall::kill:entry
{
	self->to = (int)arg0;
	self->signal = (int)arg1;
	self->in = 1;
}

syscall::kill:return
/self->in/
{
	printf("%6d %-16s %6d %8d %d\n", pid, execname, self->signal, self->to, (int)arg1);
	self->to = 0;
	self->signal = 0;
	self->in = 0;
}
