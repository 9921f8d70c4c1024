#pragma D option quiet
#pragma D option strsize=020
BEGIN
{
	printf("%d", sizeof (string));
	exit(0);
}
