BEGIN
{
	trace(strtoll("1", 37));
}

BEGIN
{
	exit(0);
}
