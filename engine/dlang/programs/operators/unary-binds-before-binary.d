#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", -2 + 3, !1 + 1, ~0 + 1);
	exit(0);
}
