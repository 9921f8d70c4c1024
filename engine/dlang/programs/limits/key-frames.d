BEGIN
{
	@[execname, stack(1024)] = count();
}
