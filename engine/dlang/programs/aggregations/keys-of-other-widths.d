#pragma D option quiet

BEGIN
{
	x = 0x100000000ll;
	@a[0] = sum(1);
	@a[x] = sum(2);
	@b[(char)-1] = sum(1);
	@b[(unsigned char)255] = sum(2);
	@c[-1] = sum(1);
	@c[4294967295u] = sum(2);
	@d[(short)1, "a"] = sum(1);
	@d[65537, "a"] = sum(2);
	exit(0);
}

END
{
	printa(@a);
	printa(@b);
	printa(@c);
	printa("%d %s %@d\n", @d);
}
