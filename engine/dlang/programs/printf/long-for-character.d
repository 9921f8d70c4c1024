BEGIN
{
	printf("%c", arg0);
}
