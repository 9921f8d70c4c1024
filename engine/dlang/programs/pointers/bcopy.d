#pragma D option quiet

BEGIN
{
	p = alloca(8);
	bcopy("abcdef", p, 7);
	printf("%s\n", stringof(p));
	bcopy((char *)p + 2, p, 3);
	printf("%s\n", stringof(p));
	exit(0);
}
