BEGIN
{
	trace(printf("a"));
}
