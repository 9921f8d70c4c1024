#!/usr/sbin/dtrace -s
/*
 * newproc - each new program, when it began, and who began it.
 *
 * Usage: newproc.d
 *
 * The parent's name is taken when the process is created: by the time of exec it may be gone.
 */

#pragma D option quiet

proc:::create
{
	parent[args[0]->pr_pid] = execname;
}

proc:::exec-success
{
	printf("%Y %d %s <- %d %s\n", walltimestamp, pid, curpsinfo->pr_psargs, ppid,
	    parent[pid] == NULL ? "?" : parent[pid]);
}

proc:::exit
{
	parent[pid] = 0;
}
