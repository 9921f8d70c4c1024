BEGIN
{
	p = (int *)arg0; p = (long long *)arg0;
}
