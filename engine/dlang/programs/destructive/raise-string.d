BEGIN
{
	raise("INT");
}
