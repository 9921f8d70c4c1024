BEGIN
{
	@a = count(); trace(sizeof (@a));
}
