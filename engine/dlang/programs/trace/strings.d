BEGIN
{
	trace("one");
	trace("two");
	exit(0);
}
