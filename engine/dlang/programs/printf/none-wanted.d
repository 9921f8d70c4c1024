BEGIN
{
	printf("a", 1);
}
