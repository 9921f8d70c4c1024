BEGIN
{
	exit(5);
}
