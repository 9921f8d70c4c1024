BEGIN
{
	@[stack(2000)] = count();
}
