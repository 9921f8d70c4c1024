BEGIN
{
	stack(pid);
}
