BEGIN
{
	trace((int *)arg0 + (int *)arg1);
}
