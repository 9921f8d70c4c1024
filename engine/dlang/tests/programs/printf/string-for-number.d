BEGIN
{
	printf("%d", "a");
}
