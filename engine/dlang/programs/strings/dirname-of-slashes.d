#pragma D option quiet

BEGIN
{
	printf("%s %s %s\n", dirname("///"), dirname("a//b"), dirname("/a/"));
	exit(0);
}
