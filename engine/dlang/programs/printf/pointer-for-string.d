BEGIN
{
	printf("%s", (char *)arg0);
}
