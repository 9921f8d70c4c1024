BEGIN
{
	trace((int *)arg0 < (long long *)arg0);
}
