#pragma D option quiet
#pragma D option bufsize=512
#pragma D option strsize=488
BEGIN
{
	trace("as large as that");
}

END
{
}

tick-1ms
{
	exit(0);
}
