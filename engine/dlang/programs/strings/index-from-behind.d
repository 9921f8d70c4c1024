#pragma D option quiet

BEGIN
{
	printf("%d %d\n", index("foobar", "bar", 99), rindex("foobar", "bar", 99));
	exit(0);
}
