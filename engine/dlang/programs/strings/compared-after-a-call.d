#pragma D option quiet

BEGIN
{
	printf("%d %d\n", strjoin("a", "b") == "ab", substr("xab", 1) != "ab");
	exit(0);
}
