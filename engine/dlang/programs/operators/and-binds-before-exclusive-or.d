#pragma D option quiet

BEGIN
{
	printf("%d %d\n", 1 ^^ 1 && 0, (1 ^^ 1) && 0);
	exit(0);
}
