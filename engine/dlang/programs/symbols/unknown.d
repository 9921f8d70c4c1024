/* No kernel has code here. */
BEGIN
{
	sym(1);
	func(2);
	mod(3);
	@[sym(1), mod(2)] = count();
	@[func(1), mod(2)] = count();
	printa("%a in %a: %@d\n", @);
	exit(0);
}
