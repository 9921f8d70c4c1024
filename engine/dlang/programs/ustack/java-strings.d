BEGIN
{
	jstack(1, -2);
}
