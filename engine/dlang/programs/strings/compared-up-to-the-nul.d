#pragma D option quiet

BEGIN
{
	printf("%d\n", "abc\0def" == "abc");
	exit(0);
}
