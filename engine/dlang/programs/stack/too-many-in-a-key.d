BEGIN
{
	@[stack(4294967295)] = count();
}
