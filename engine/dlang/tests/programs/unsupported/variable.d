BEGIN
{
	trace(cwd);
}
