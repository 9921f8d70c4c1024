BEGIN
{
	trace(+execname);
}
