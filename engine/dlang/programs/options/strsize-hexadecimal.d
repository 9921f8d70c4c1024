#pragma D option quiet
#pragma D option strsize=0x20
BEGIN
{
	printf("%d", sizeof (string));
	exit(0);
}
