#!/usr/sbin/dtrace -s
/*
 * bitesize - the sizes of requests to block devices, by the command that issues them.
 *
 * Usage: bitesize.d
 *
 * The distributions are in bytes, and are printed on ^C.
 */

#pragma D option quiet

sdt:::block_rq_issue
{
	@[execname] = quantize(args[0]->__data_len);
}

END
{
	printa("%s%@d\n", @);
}
