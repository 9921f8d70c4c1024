BEGIN
{
	prnitf("x");
}
