#pragma D option quiet

BEGIN
{
	printf("[%-06d] [%0-6d]\n", 42, 42);
	exit(0);
}
