BEGIN
{
	speculate(speculation());
	raise(10);
}
