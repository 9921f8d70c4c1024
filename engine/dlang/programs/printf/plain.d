#pragma D option quiet

BEGIN
{
	printf("[nothing]\n");
	printf("[tab\there]\n");
	exit(0);
}
