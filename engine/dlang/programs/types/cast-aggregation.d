BEGIN
{
	@a = count(); trace((int)@a);
}
