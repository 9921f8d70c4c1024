BEGIN
{
	trace((int *)arg0 % 2);
}
