BEGIN
{
	printm(memref(0, 8));
}
