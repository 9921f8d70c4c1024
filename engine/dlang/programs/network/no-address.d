BEGIN
{
	trace(inet_ntoa(16909060));
}
