BEGIN
{
	trace(msgsize(NULL));
}
