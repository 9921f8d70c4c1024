BEGIN
{
	trace(1 / (sizeof (pid) - 4));
}
