/* Unless it need not. */
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
