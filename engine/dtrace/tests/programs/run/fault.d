/* A fault ends only its own clause. */
#pragma D option quiet
BEGIN
{
	x = 0;
}

BEGIN
{
	trace("before");
	trace(1 / x);
}

BEGIN
{
	trace("the next\n");
	trace(*(int *)8);
}

BEGIN
/1 % x/
{
	trace("not reached");
}

BEGIN
{
	trace("the last\n");
	exit(0);
}
