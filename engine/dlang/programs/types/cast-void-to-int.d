BEGIN
{
	trace((int)printf("a"));
}
