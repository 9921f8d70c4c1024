BEGIN
{
	a[printf("x")] = 1;
}
