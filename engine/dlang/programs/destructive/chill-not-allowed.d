BEGIN
{
	chill(1);
	exit(0);
}
