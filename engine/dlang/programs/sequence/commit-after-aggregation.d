BEGIN
{
	@ = count(); commit(1);
}
