BEGIN
{
	@[ustack(-1)] = count();
}
