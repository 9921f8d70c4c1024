#pragma D option quiet

BEGIN
{
	printf("%d\n", sizeof (int) * 2);
	exit(0);
}
