BEGIN
{
	trace(alloca(8) + 1);
}
