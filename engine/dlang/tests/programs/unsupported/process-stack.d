BEGIN
{
	ustack(5);
}
