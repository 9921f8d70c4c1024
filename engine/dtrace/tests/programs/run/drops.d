/* Drops are reported. */
#pragma D option quiet
#pragma D option bufsize=256
#pragma D option statusrate=10ms
BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN, BEGIN
{
	trace(1LL);
}

tick-20ms
{
	exit(0);
}
