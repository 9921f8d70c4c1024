BEGIN
{
	@a = count(); clear(@a, @a);
}
