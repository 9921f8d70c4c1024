#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", "abc" < "abcd", "abcd" > "abc", "abc" == "abcd");
	exit(0);
}
