BEGIN
{
	ustack(8192);
}
