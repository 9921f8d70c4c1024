BEGIN
{
	trace(a]);
}
