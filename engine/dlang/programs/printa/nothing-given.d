BEGIN
{
	printa(@a[1]);
}
