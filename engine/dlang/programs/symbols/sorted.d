#pragma D option quiet
#pragma D option aggsortkey

/* By address, not byte by byte. */
BEGIN
{
	@[sym(0x102)] = count();
	@[sym(0x201)] = count();
	@[sym(0x3)] = count();
	exit(0);
}
