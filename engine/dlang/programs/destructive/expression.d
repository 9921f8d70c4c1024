BEGIN
{
	x = 1 + raise(10);
}
