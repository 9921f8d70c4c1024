BEGIN
{
	x = "a"; x++;
}
