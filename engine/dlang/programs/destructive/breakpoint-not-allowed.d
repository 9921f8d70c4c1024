BEGIN
{
	breakpoint();
	exit(0);
}
