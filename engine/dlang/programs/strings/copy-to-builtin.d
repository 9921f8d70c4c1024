BEGIN
{
	bcopy("XY", probename, 2);
}
