BEGIN
{
	trace("a" + "b");
}
