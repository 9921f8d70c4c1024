BEGIN
{
	a[1] = "abc";
	a[1][0] = 'x';
}
