BEGIN
{
	trace(1 - (int *)arg0);
}
