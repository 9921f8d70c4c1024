BEGIN
{
	x = mod(1);
}
