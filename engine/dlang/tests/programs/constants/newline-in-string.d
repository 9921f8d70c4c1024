BEGIN
{
	trace("abc
");
}
