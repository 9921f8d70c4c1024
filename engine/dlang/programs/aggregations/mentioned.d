BEGIN
{
	@a = count(); @a;
}
