BEGIN
{
	trace(htons(1));
}
