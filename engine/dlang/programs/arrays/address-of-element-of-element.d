int a[int][3];
BEGIN
{
	p = &a[0][1];
}
