BEGIN
{
	a[1] = 2; a[2] = "x";
}
