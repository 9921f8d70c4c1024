char a[5];

BEGIN
{
	a[0] = 'D';
	a[4] = 1;
	trace(a);
	exit(0);
}
