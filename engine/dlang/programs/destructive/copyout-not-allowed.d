BEGIN
{
	copyout("x", 0, 1);
	exit(0);
}
