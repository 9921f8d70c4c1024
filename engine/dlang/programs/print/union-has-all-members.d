#pragma D option quiet

union u { int whole; unsigned char low; };
union u v;

BEGIN
{
	v.whole = 258;
	print(v);
	exit(0);
}
