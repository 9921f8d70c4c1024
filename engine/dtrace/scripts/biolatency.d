#!/usr/sbin/dtrace -s
/*
 * biolatency - how long block devices take for a request, by device.
 *
 * Usage: biolatency.d
 *
 * A request counts from when the device's driver is given it until it is complete. The
 * distributions are in microseconds, and are printed on ^C.
 */

#pragma D option quiet

sdt:::block_rq_issue
{
	issued[args[0]] = timestamp;
}

sdt:::block_rq_complete
/issued[args[0]]/
{
	@[stringof(args[0]->q->disk->disk_name)] = quantize((timestamp - issued[args[0]]) / 1000);
	issued[args[0]] = 0;
}

END
{
	printa("%s, in us%@d\n", @);
}
