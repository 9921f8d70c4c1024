BEGIN
{
	copyout("x", 0);
}
