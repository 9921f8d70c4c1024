#pragma D option quiet

BEGIN
{
	printf("[%.3d]\n", 7);
	printf("[%5.3d]\n", 7);
	printf("[%-5.3d]\n", 7);
	printf("[%.2s]\n", "abc");
	printf("[%5.2s]\n", "abc");
	printf("[%.8x]\n", 255);
	exit(0);
}
