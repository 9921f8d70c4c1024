BEGIN
{
	s = "abc";
	(*s)++;
}
