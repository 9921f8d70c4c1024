#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", index("abc", ""), index("abc", "", 2), rindex("abc", ""));
	exit(0);
}
