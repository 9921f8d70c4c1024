BEGIN
{
	trace(progenyof("init"));
}
