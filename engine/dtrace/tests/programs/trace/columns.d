/* Numbers have columns of their size, strings of 33. */
BEGIN
{
	trace((char)-1);
	trace((unsigned char)-1);
	trace((short)-2);
	trace(-3);
	trace(4U);
	trace(-5LL);
	trace(18446744073709551615ULL);
	trace("text");
	trace("a text that is longer than its column has room for");
	trace("");
	exit(0);
}
