#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", 'a', '\n', 'a' + 1);
	exit(0);
}
