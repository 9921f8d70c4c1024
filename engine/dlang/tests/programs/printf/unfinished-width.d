BEGIN
{
	printf("%10");
}
