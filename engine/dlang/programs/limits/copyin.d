BEGIN
{
	p = copyin(0, 65537);
}
