BEGIN
{
	speculate(speculation());
	system("echo");
}
