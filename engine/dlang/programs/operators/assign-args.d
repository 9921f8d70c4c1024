tick-1s
{
	args[0] = 1;
}
