BEGIN
{
	@[execname, execname, execname, execname, execname] = count();
}
