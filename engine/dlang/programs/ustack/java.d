/* As ustack(), with its own option for the size. */
#pragma D option jstackframes=7

BEGIN
{
	jstack();
	jstack(5);
	jstack(5, 512);
	@calls[jstack(3)] = count();
	@all[jstack()] = count();
	@calls[ustack(3)] = count();
}
