#pragma D option quiet

BEGIN
{
	p = (char *)alloca(8);
	bcopy("bytes", p, 6);
	printf("stringof(\"abc\") = %s\n", stringof("abc"));
	printf("stringof(p) = %s\n", stringof(p));
	printf("(string)p = %s\n", (string)p);
	exit(0);
}
