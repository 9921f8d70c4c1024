#pragma D option quiet

BEGIN
{
	printf("[%.4x] [%#.4x]\n", 255, 255);
	exit(0);
}
