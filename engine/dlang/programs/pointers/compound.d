#pragma D option quiet

BEGIN
{
	p = (int *)alloca(8);
	*p = 5;
	*p += 3;
	*p <<= 2;
	(*p)--;
	printf("%d\n", *p);
	exit(0);
}
