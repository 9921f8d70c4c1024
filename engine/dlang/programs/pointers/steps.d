#pragma D option quiet

BEGIN
{
	p = (short *)alloca(8);
	*p++ = 1;
	*p++ = 2;
	p -= 2;
	printf("%d %d\n", p[0], p[1]);
	printf("%d %d\n", *p++, *p);
	exit(0);
}
