BEGIN
{
	@a[stack(3)] = count(); @a[stack(4)] = count();
}
