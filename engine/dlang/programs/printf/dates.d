#pragma D option quiet

BEGIN
{
	printf("[%Y]\n", (int64_t)0);
	printf("[%Y]\n", (int64_t)86400000000000);
	exit(0);
}
