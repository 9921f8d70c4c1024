BEGIN
{
	@a = count(); printa("%@d", @a, 1);
}
