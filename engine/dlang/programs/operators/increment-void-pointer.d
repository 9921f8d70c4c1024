BEGIN
{
	p = alloca(8); p++;
}
