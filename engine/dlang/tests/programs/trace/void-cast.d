BEGIN
{
	trace((void)pid);
}
