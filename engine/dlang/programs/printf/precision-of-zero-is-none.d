#pragma D option quiet

BEGIN
{
	printf("[%.0d] [%.0s]\n", 0, "abc");
	exit(0);
}
