BEGIN
{
	@a = count(); x = pid ? @a : @a;
}
