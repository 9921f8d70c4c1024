BEGIN
{
	printf("%p", execname);
}
