BEGIN
{
	trace(!execname);
}
