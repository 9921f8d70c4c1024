#!/usr/sbin/dtrace -s
/*
 * tcplife - each TCP connection that ends, with its life and the bytes that it carried.
 *
 * Usage: tcplife.d
 *
 * A connection's life begins when it leaves its first state. A process is named only for the end
 * that connected: the other end's packets come in interrupts.
 */

#pragma D option quiet

/* The kernel's numbers of a TCP socket's states, which are those of its interface to processes. */
inline int SYN_SENT = 2;
inline int SYN_RECV = 3;
inline int CLOSED = 7;

BEGIN
{
	printf("%6s %-16s %-15s %5s %-15s %5s %9s %9s %9s\n", "PID", "COMM", "FROM", "PORT", "TO", "PORT",
	    "SENT", "RECEIVED", "LIFE(us)");
}

sdt:::inet_sock_set_state
/args[0]->__sk_common.skc_family == AF_INET && (args[2] == SYN_SENT || args[2] == SYN_RECV)/
{
	born[args[0]] = timestamp;
}

sdt:::inet_sock_set_state
/args[2] == SYN_SENT/
{
	who[args[0]] = pid;
	name[args[0]] = execname;
}

sdt:::inet_sock_set_state
/args[2] == CLOSED && born[args[0]]/
{
	this->c = &args[0]->__sk_common;
	this->t = (struct tcp_sock *)args[0];
	printf("%6d %-16s %-15s %5d %-15s %5d %9d %9d %9d\n", who[args[0]],
	    name[args[0]] == NULL ? "" : name[args[0]], inet_ntoa(&this->c->skc_rcv_saddr),
	    this->c->skc_num, inet_ntoa(&this->c->skc_daddr), ntohs(this->c->skc_dport),
	    this->t->bytes_acked, this->t->bytes_received, (timestamp - born[args[0]]) / 1000);
}

sdt:::inet_sock_set_state
/args[2] == CLOSED/
{
	born[args[0]] = 0;
	who[args[0]] = 0;
	name[args[0]] = 0;
}
