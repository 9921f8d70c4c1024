BEGIN
{
	p = alloca("x");
}
