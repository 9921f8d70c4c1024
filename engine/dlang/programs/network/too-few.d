BEGIN
{
	trace(inet_ntop(AF_INET));
}
