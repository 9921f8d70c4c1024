BEGIN
{
	commit(1); printf("a");
}
