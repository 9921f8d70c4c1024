BEGIN
{
	stop();
	exit(0);
}
