/* A record of it is 16 bytes longer than the string. */
#pragma D option quiet
#pragma D option bufsize=512
#pragma D option strsize=512
BEGIN
{
	trace("a");
	exit(0);
}
