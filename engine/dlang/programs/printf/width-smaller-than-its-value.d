#pragma D option quiet

BEGIN
{
	printf("[%2d] [%2s]\n", 12345, "hello");
	exit(0);
}
