BEGIN
{
	stack(8192); stack(8192);
}
