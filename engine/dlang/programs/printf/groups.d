#pragma D option quiet

BEGIN
{
	printf("[%'d]\n", 1234);
	printf("[%'d]\n", 12);
	exit(0);
}
