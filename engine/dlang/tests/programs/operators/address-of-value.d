BEGIN
{
	trace(&5);
}
