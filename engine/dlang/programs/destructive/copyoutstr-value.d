BEGIN
{
	x = copyoutstr("x", 0, 1);
}
