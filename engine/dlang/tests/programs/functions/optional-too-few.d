BEGIN
{
	trace(substr("a"));
}
