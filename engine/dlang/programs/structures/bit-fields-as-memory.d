#pragma D option quiet

struct fields { unsigned char low : 4; unsigned char high : 4; };
union memory { struct fields f; unsigned char byte; };
union memory m;

BEGIN
{
	m.f.low = 5;
	m.f.high = 10;
	printf("%x\n", m.byte);
	m.byte = 0x3c;
	printf("%x %x\n", m.f.low, m.f.high);
	exit(0);
}
