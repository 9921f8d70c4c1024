#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", '\0', '\101', '\x41', '\\');
	exit(0);
}
