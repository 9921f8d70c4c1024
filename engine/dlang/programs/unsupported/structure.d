BEGIN
{
	trace(((struct foo *)arg0)->x);
}
