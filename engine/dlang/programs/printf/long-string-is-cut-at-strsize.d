#pragma D option quiet
#pragma D option strsize=5

BEGIN
{
	printf("[%s]\n", "abcdefgh");
	exit(0);
}
