BEGIN
{
	panic();
	exit(0);
}
