BEGIN
{
	system("echo %d", "one");
}
