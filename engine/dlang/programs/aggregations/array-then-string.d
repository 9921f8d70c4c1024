/* A key that is an array of characters in one place and a string in another is a string. */
char *it;
BEGIN
{
	it = (char *)alloca(4);
	it[0] = 'a';
	it[1] = 'b';
	@[*(char (*)[4])it] = count();
	@["ab"] = count();
	@["abcdefgh"] = count();
	exit(0);
}
