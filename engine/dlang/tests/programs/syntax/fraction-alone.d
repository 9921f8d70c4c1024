BEGIN
{
	trace(.5);
}
