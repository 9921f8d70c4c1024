BEGIN
{
	trace(htons("80"));
}
