#pragma D option quiet

BEGIN
{
	printf("%d\n", strlen("\x4" "1"));
	exit(0);
}
