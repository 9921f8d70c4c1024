#pragma D option strsize=2k
BEGIN
{
	@[execname, execname, execname, execname, execname] = count();
}
