BEGIN
{
	copyoutstr("x", 0, 1);
	exit(0);
}
