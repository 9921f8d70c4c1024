#pragma D option quiet

BEGIN
{
	printf("%d\n", cpu >= 0);
	exit(0);
}
