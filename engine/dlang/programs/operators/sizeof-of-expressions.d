#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", sizeof (1), sizeof (1ll), sizeof ('a'));
	exit(0);
}
