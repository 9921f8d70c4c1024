#!/usr/sbin/dtrace -qs
/*
 * A comment.
 */
#pragma D option quiet

BEGIN /* here */
{
	printf("%d\n", /* and */ 1 /* there */);
	exit(0); /* at last */
}
