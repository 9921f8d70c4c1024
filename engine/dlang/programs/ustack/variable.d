BEGIN
{
	ustack(pid);
}
