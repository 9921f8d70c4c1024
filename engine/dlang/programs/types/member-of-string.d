BEGIN
{
	trace(execname.x);
}
