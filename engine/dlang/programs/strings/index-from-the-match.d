#pragma D option quiet

BEGIN
{
	printf("%d %d\n", index("foobar", "bar", 3), index("foobar", "bar", 4));
	exit(0);
}
