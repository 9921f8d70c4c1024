/*
 * Address 16 is in no process, so it has no name. An address is one key for each way to name it.
 */
#pragma D option quiet

BEGIN
{
	usym(16);
	umod(16);
	printf("|\n");
	@[usym(16), umod(16), ufunc(0x10), uaddr(16)] = count();
	@[usym(8 + 8), umod(16), ufunc(16), uaddr(16)] = count();
	printa(@);
	printa("%A %A %A %A %@d\n", @);
	exit(0);
}
