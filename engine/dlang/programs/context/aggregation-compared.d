BEGIN
{
	@a = count(); x = @a == @a;
}
