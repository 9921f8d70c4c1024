BEGIN
{
	trace(((int *)arg0)->x);
}
