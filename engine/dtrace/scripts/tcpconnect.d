#!/usr/sbin/dtrace -s
/*
 * tcpconnect - each TCP connection that a process opens, IPv4 or IPv6.
 *
 * Usage: tcpconnect.d
 *
 * Of the socket, only the address is read: it is known when the kernel's function returns.
 */

#pragma D option quiet

BEGIN
{
	printf("%6s %-16s %2s %-24s %-24s %5s\n", "PID", "COMM", "IP", "FROM", "TO", "PORT");
}

fbt:vmlinux:tcp_v4_connect:entry,
fbt:vmlinux:tcp_v6_connect:entry
{
	self->sock = (struct sock *)arg0;
}

fbt:vmlinux:tcp_v4_connect:return
/self->sock && (int)arg1 == 0/
{
	this->c = &self->sock->__sk_common;
	printf("%6d %-16s  4 %-24s %-24s %5d\n", pid, execname, inet_ntoa(&this->c->skc_rcv_saddr),
	    inet_ntoa(&this->c->skc_daddr), ntohs(this->c->skc_dport));
}

fbt:vmlinux:tcp_v6_connect:return
/self->sock && (int)arg1 == 0 && self->sock->__sk_common.skc_family == AF_INET6/
{
	this->c = &self->sock->__sk_common;
	printf("%6d %-16s  6 %-24s %-24s %5d\n", pid, execname, inet_ntoa6(&this->c->skc_v6_rcv_saddr),
	    inet_ntoa6(&this->c->skc_v6_daddr), ntohs(this->c->skc_dport));
}

fbt:vmlinux:tcp_v4_connect:return,
fbt:vmlinux:tcp_v6_connect:return
{
	self->sock = 0;
}
