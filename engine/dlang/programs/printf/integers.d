#pragma D option quiet

BEGIN
{
	printf("[%d]\n", 42);
	printf("[%i]\n", -42);
	printf("[%u]\n", -1);
	printf("[%x]\n", 255);
	printf("[%X]\n", 255);
	printf("[%o]\n", 255);
	printf("[%d]\n", -1ll);
	printf("[%u]\n", -1ll);
	printf("[%x]\n", -1);
	exit(0);
}
