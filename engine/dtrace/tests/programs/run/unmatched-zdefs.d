/* A description may match no probe with zdefs. */
#pragma D option zdefs
#pragma D option quiet
dtrace:::NOSUCH
{
	trace("not this");
}

BEGIN
{
	trace("this\n");
	exit(0);
}
