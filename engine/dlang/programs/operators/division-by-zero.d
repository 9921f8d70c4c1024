BEGIN
{
	trace(pid / 0);
}
