BEGIN
{
	printf("%*.*d", 1, "a", 1);
}
