BEGIN
{
	trace(memstr("1", 1, 1));
}
