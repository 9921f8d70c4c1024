#pragma D option quiet

BEGIN
{
	printf("[%s]\n", "abc");
	printf("[%s]\n", "");
	printf("[%S]\n", "a\tb\n");
	printf("[%s %s]\n", "a", "b");
	exit(0);
}
