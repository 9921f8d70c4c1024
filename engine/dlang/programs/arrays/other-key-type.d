BEGIN
{
	a[1] = 3; a["x"] = 4;
}
