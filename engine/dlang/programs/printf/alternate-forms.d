#pragma D option quiet

BEGIN
{
	printf("[%#x]\n", 255);
	printf("[%#X]\n", 255);
	printf("[%#o]\n", 8);
	printf("[%#x]\n", 0);
	printf("[%#8x]\n", 255);
	printf("[%#08x]\n", 255);
	exit(0);
}
