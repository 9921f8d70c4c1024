#pragma D option quiet

BEGIN
{
	printf("[%%]\n");
	printf("[100%%]\n");
	printf("[%d%%]\n", 5);
	exit(0);
}
