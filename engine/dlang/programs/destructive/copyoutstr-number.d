BEGIN
{
	copyoutstr(1, 0, 1);
}
