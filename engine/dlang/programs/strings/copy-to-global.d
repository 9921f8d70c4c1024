BEGIN
{
	s = "abcdef"; bcopy("XY", s, 2);
}
