BEGIN
{
	bcopy(1, alloca(8), 8);
}
