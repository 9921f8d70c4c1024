BEGIN
{
	commit(1); @ = count();
}
