#pragma D option quiet

union u { int i; short s; char c; };
union u v;

BEGIN
{
	v.i = -1;
	v.c = 0;
	printf("%x %x\n", v.i & 0xff, v.s & 0xffff);
	exit(0);
}
