#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", "" == "", "" < "a", "a" <= "");
	exit(0);
}
