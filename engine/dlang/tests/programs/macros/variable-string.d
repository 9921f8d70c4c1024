BEGIN
{
	trace($$nosuch);
}
