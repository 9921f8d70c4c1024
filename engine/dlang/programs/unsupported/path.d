BEGIN
{
	trace(d_path(NULL));
}
