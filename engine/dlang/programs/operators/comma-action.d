BEGIN
{
	x = (printf("a"), 1);
}
