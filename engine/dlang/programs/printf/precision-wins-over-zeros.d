#pragma D option quiet

BEGIN
{
	printf("[%06.3d]\n", 42);
	exit(0);
}
