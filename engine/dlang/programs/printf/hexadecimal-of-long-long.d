#pragma D option quiet

BEGIN
{
	printf("%x\n", -1ll);
	exit(0);
}
