BEGIN
{
	trace($$3);
}
