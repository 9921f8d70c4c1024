#pragma D option quiet
#pragma D option strsize=4
#pragma D option strsize=8

BEGIN
{
	printf("%d\n", sizeof (string));
	exit(0);
}
