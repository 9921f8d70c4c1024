#pragma D option quiet

BEGIN
{
	printf("%d\n", (uint64_t)-2 / 2 == 0x7fffffffffffffff);
	exit(0);
}
