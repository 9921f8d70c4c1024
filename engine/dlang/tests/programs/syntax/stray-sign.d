BEGIN
{
	trace(#);
}
