BEGIN
{
	printa("%@d");
}
