BEGIN
{
	@a[1] = count(); @a = count();
}
