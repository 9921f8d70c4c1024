BEGIN
{
	s = "abc";
	*((char *)s + 1) = 'x';
}
