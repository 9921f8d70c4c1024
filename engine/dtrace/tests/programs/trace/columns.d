/* Number columns depend on size; strings have 33 columns. */
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
