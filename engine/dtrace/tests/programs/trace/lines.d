/* Each record has a line; a clause that records nothing has none. */
BEGIN
{
	x = 1;
}

BEGIN
{
}

BEGIN
/x == 2/
{
	trace("not this");
}

BEGIN
{
	trace(x);
	exit(0);
}

END
{
	trace("over");
}
