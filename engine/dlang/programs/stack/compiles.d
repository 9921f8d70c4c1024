/*
 * A stack as a record, as a key, and with its depth from the option.
 */
BEGIN
{
	stack(5);
	@calls[stack(3)] = count();
	stack();
}
