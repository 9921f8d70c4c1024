BEGIN
{
	trace(42);
	trace(-1);
	trace(5ll);
	trace((char)7);
	exit(0);
}
