BEGIN
{
	x = 4;
	tracemem(curthread, x);
}
