#pragma D option quiet

BEGIN
{
	printf("%s %s\n", cleanpath("/a/...//b"), cleanpath("/a/.b/..c"));
	exit(0);
}
