BEGIN
{
	printf("%hd", 1);
}
