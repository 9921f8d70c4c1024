BEGIN
{
	p = (int *)arg0; p /= 2;
}
