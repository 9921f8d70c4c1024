BEGIN
{
	system("echo it does not run");
	exit(0);
}
