int a[3][2];
BEGIN
{
	p = &a[0][1];
}
