BEGIN
{
	trace("strlen"("x"));
}
