BEGIN
{
	trace(args[pid]);
}
