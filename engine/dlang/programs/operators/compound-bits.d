#pragma D option quiet

BEGIN
{
	a = 0xf0;
	a |= 0xf;
	a &= 0x3c;
	a ^= 0xff;
	a <<= 4;
	a >>= 2;
	printf("%x\n", a);
	exit(0);
}
