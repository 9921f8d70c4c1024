BEGIN
{
	sym(arg0);
}
