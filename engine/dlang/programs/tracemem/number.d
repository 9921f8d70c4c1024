BEGIN
{
	tracemem(curthread, 4, "four");
}
