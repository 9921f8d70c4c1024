int a[3];
BEGIN
{
	p = &a[0];
}
