BEGIN
{
	p = (int *)arg0;
	p += p;
}
