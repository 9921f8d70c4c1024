BEGIN
{
	trace(count);
}
