BEGIN
{
	trace(execname[1, 2]);
}
