/*
 * A user stack as a record and as a key, with its size, with one of strings, and from the option;
 * what else is read of it; and addresses as keys of each kind.
 */
BEGIN
{
	ustack(5);
	ustack(5, 128);
	ustack(5, 0);
	ustack();
	@calls[ustack(3)] = count();
	@all[ustack()] = count();
	@depth[ucaller] = max(ustackdepth);
	@functions[pid, usym(ucaller), ufunc(arg0)] = count();
	@objects[umod(arg0), uaddr(arg0)] = count();
	printa("%A %A %@d\n", @objects);
	printa("%k %@d\n", @calls);
}
