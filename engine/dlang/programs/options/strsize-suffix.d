#pragma D option quiet
#pragma D option strsize=0x1K
BEGIN
{
	printf("%d", sizeof (string));
	exit(0);
}
