#!/usr/sbin/dtrace -s
/*
 * shortlived - the time that goes into processes that live less than a second.
 *
 * Usage: shortlived.d
 *
 * At the end, or on ^C: what such processes took in total, by their name and by their parent's.
 */

#pragma D option quiet

inline uint64_t SHORT = 1000000000;

proc:::start
{
	born[pid] = timestamp;
}

proc:::exit
/born[pid] && timestamp - born[pid] < SHORT/
{
	this->lived = timestamp - born[pid];
	@number = count();
	@total = sum(this->lived);
	@by_name[execname] = sum(this->lived);
	@by_parent[curthread->real_parent->comm] = sum(this->lived);
}

proc:::exit
{
	born[pid] = 0;
}

END
{
	normalize(@total, 1000);
	normalize(@by_name, 1000);
	normalize(@by_parent, 1000);
	printa("short-lived processes: %@d\n", @number);
	printa("their time, in us: %@d\n", @total);
	printf("\n%-16s %12s\n", "NAME", "TIME(us)");
	printa("%-16s %@12d\n", @by_name);
	printf("\n%-16s %12s\n", "PARENT", "TIME(us)");
	printa("%-16s %@12d\n", @by_parent);
}
