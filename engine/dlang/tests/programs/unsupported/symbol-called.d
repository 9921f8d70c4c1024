BEGIN
{
	trace(`jiffies());
}
