BEGIN
{
	trace(mutex_owned(1));
}
