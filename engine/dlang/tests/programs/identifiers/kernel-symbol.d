BEGIN
{
	trace(`jiffies);
}
