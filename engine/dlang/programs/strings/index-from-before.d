#pragma D option quiet

BEGIN
{
	printf("%d %d\n", index("foobar", "foo", -5), rindex("foobar", "foo", -5));
	exit(0);
}
