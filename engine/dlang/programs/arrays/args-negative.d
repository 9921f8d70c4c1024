tick-1s
{
	trace(args[-1]);
}
