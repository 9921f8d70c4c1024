BEGIN
{
	stack(8193);
}
