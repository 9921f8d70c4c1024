BEGIN
{
	trace(strtok(33, ","));
}
