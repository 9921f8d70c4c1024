#pragma D option quiet

BEGIN
{
	printf("[%p]\n", 0x1000);
	printf("[%p]\n", (int *)0x1000);
	exit(0);
}
