BEGIN
{
	tracemem(arg0, 16);
}
