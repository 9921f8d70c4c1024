BEGIN
{
	exit("no");
}
