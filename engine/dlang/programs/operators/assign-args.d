BEGIN
{
	args[0] = 1;
}
