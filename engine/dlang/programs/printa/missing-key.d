BEGIN
{
	@a = count(); printa("%d %@d", @a);
}
