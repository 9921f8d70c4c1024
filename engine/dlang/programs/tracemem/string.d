BEGIN
{
	tracemem("text", 4);
}
