BEGIN
{
	printf("%d %s", 1);
}
