BEGIN
{
	trace(inet_ntop(1, alloca(4)));
}

BEGIN
{
	exit(0);
}
