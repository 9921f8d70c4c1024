BEGIN
{
	printa(@a); @a = count();
}
