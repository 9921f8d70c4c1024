BEGIN
{
	panic("why");
}
