BEGIN
{
	trace(args[-1]);
}
