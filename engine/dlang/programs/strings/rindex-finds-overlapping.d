#pragma D option quiet

BEGIN
{
	printf("%d %d\n", index("aaaa", "aa"), rindex("aaaa", "aa"));
	exit(0);
}
