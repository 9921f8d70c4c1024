BEGIN
{
	printf("%A", arg0);
}
