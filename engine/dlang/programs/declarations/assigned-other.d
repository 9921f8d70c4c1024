string s;
BEGIN
{
	s = 3;
}
