#pragma D option quiet

BEGIN
{
	printf("%d %d\n", "\x80" > "a", "\xff" > "\x7f");
	exit(0);
}
