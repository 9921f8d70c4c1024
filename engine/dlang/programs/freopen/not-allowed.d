BEGIN
{
	freopen("/tmp/file");
	exit(0);
}
