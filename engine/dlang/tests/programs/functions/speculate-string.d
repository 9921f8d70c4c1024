BEGIN
{
	speculate("x");
}
