BEGIN
{
	trace(~execname);
}
