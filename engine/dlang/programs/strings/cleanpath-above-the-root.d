#pragma D option quiet

BEGIN
{
	printf("%s %s\n", cleanpath("/../a"), cleanpath("/a/../../b"));
	exit(0);
}
