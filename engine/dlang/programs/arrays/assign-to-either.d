int a[3];
int b[3];
BEGIN
{
	(pid ? a : b)[1] = 5;
}
