BEGIN
{
	(pid + 1) = 2;
}
