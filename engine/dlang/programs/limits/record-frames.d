/* Each of them has room in a record, but not both. */
BEGIN
{
	stack(5000);
	trace(execname);
	stack(5000);
}
