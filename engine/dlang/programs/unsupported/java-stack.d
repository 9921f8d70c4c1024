BEGIN
{
	jstack(5);
}
