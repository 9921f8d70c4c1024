BEGIN
{
	trace(-execname);
}
