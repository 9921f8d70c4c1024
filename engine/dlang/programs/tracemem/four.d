BEGIN
{
	tracemem(curthread, 4, 4, 4);
}
