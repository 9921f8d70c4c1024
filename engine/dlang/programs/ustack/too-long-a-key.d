BEGIN
{
	@[ustack(1024)] = count();
}
