#!/usr/sbin/dtrace -s
/*
 * biosnoop - each request to a block device: who issued it, and how long it took.
 *
 * Usage: biosnoop.d
 *
 * The process is the one in which the request was issued. For what is written back later, that is a
 * thread of the kernel.
 */

#pragma D option quiet

/* The bits of a request's flags that say what it does; 0 is a read, 1 a write. */
inline int OPERATION = 0xff;

BEGIN
{
	printf("%6s %-16s %-8s %s %12s %8s %10s\n", "PID", "COMM", "DISK", "D", "SECTOR", "BYTES",
	    "TIME(us)");
}

sdt:::block_rq_issue
{
	issued[args[0]] = timestamp;
	who[args[0]] = pid;
	name[args[0]] = execname;
	bytes[args[0]] = args[0]->__data_len;
	sector[args[0]] = args[0]->__sector;
}

sdt:::block_rq_complete
/issued[args[0]]/
{
	this->op = args[0]->cmd_flags & OPERATION;
	printf("%6d %-16s %-8s %s %12d %8d %10d\n", who[args[0]], name[args[0]],
	    stringof(args[0]->q->disk->disk_name), this->op == 0 ? "R" : this->op == 1 ? "W" : "-",
	    sector[args[0]], bytes[args[0]], (timestamp - issued[args[0]]) / 1000);
	issued[args[0]] = 0;
	who[args[0]] = 0;
	name[args[0]] = 0;
	bytes[args[0]] = 0;
	sector[args[0]] = 0;
}
