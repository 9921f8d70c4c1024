BEGIN
{
	s = "abc"; t = "def";
	(pid ? s : t)[0] = 'x';
}
