BEGIN
{
	trace(stringof(printf("a")));
}
