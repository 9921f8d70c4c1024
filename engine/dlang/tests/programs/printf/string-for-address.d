BEGIN
{
	printf("%a", "x");
}
