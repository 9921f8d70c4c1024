BEGIN
{
	trace(1 + );
}
