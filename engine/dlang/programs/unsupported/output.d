BEGIN
{
	freopen("x");
}
