BEGIN
{
	trace(*(long double *)arg0);
}
